// The samples of a folder: every line of every .jsonl file in it, folders below included. A line that does not fit is an error with
// file and line; all of them are told, up to a bound, before anything is judged.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { z } from 'zod';
import { sampleSchema, type PlacedSample } from './sample.ts';

const MAX_TOLD = 20;

/** What is wrong with the samples, a line for each. */
export class SamplesError extends Error {
  constructor(problems: readonly string[]) {
    const more = problems.length > MAX_TOLD ? [`and ${problems.length - MAX_TOLD} more`] : [];
    super([...problems.slice(0, MAX_TOLD), ...more].join('\n'));
    this.name = 'SamplesError';
  }
}

/** @throws SamplesError */
export async function readSamples(dir: string): Promise<PlacedSample[]> {
  const names = await readdir(dir, { recursive: true }).catch((error: unknown) => {
    throw new SamplesError([`${dir} cannot be read: ${error instanceof Error ? error.message : String(error)}`]);
  });
  const files = names.filter((name) => name.endsWith('.jsonl')).toSorted();
  if (files.length === 0) throw new SamplesError([`${dir}: there is no .jsonl file in it`]);
  const samples: PlacedSample[] = [];
  const problems: string[] = [];
  for (const file of files) {
    // Not node:readline: it ends lines at U+2028 too, which JSON allows in a string.
    const lines = (await readFile(join(dir, file), 'utf8')).split(/\r?\n/);
    let number = 0;
    for (const line of lines) {
      number += 1;
      // A byte order mark is what some programs begin a file with.
      const read = readLine(number === 1 ? line.replace(/^\uFEFF/, '') : line, file, `${file}:${number}`);
      if (typeof read === 'string') problems.push(read);
      else if (read) samples.push(read);
    }
  }
  if (problems.length > 0) throw new SamplesError(problems);
  return samples;
}

/** What is wrong, as a sentence; undefined for an empty line. */
function readLine(line: string, file: string, place: string): PlacedSample | string | undefined {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return `${place}: not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  const parsed = sampleSchema.safeParse(value);
  if (!parsed.success) return `${place}: ${problemOf(parsed.error)}`;
  return { ...parsed.data, group: parsed.data.group ?? basename(file, '.jsonl'), place };
}

const problemOf = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');
