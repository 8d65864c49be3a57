// Reads every line of a guard's .jsonl files in a folder, recursively. Invalid lines are reported together, up to a bound,
// with file and line, before anything is judged.
import { readdir, readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { z } from 'zod';
import { isOwnFile, SAMPLE_SCHEMAS, type SampledGuard } from './guard-samples.ts';
import type { PlacedSample } from './sample.ts';

const MAX_TOLD = 20;

/** Lists the problems of the samples, one per line. */
export class SamplesError extends Error {
  constructor(problems: readonly string[]) {
    const more = problems.length > MAX_TOLD ? [`and ${problems.length - MAX_TOLD} more`] : [];
    super([...problems.slice(0, MAX_TOLD), ...more].join('\n'));
    this.name = 'SamplesError';
  }
}

/** @param guard selects the files and their schema @throws SamplesError */
export async function readSamples(dir: string, guard: SampledGuard = 'prompt-injection'): Promise<PlacedSample[]> {
  const names = await readdir(dir, { recursive: true }).catch((error: unknown) => {
    throw new SamplesError([`${dir} cannot be read: ${error instanceof Error ? error.message : String(error)}`]);
  });
  const files = names.filter((name) => isOwnFile(name, guard)).toSorted();
  if (files.length === 0) throw new SamplesError([`${dir}: there is no .jsonl file in it for ${guard}`]);
  const samples: PlacedSample[] = [];
  const problems: string[] = [];
  for (const file of files) {
    // Not node:readline: it also splits lines at U+2028, which JSON allows in a string.
    const lines = (await readFile(join(dir, file), 'utf8')).split(/\r?\n/);
    let number = 0;
    for (const line of lines) {
      number += 1;
      // Some programs start a file with a byte order mark.
      const read = readLine(number === 1 ? line.replace(/^\uFEFF/, '') : line, file, `${file}:${number}`, guard);
      if (typeof read === 'string') problems.push(read);
      else if (read) samples.push(read);
    }
  }
  if (problems.length > 0) throw new SamplesError(problems);
  return samples;
}

/** Returns the sample, a sentence about the problem, or undefined for an empty line. */
function readLine(line: string, file: string, place: string, guard: SampledGuard): PlacedSample | string | undefined {
  if (line.trim() === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    return `${place}: not JSON: ${error instanceof Error ? error.message : String(error)}`;
  }
  const parsed = SAMPLE_SCHEMAS[guard].safeParse(value);
  if (!parsed.success) return `${place}: ${describeProblem(parsed.error)}`;
  return { ...parsed.data, group: parsed.data.group ?? basename(file, '.jsonl'), place };
}

const describeProblem = ({ issues }: z.ZodError): string =>
  issues.map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message)).join('; ');
