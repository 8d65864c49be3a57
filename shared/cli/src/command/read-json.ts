// Reads the input of a command from a file, or from stdin for `-`. An error names the source once, and the place in it.
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { listIssues } from '@millrace/contracts';
import type { z } from 'zod';
import type { CliIo } from './cli-io.ts';
import { MAX_INPUT_BYTES } from './read-input.ts';
import { UsageError } from './usage-error.ts';

/** @throws UsageError if the source cannot be read, is not JSON or does not fit the schema */
export async function readJson<T>(io: CliIo, file: string, schema: z.ZodType<T>, command: string): Promise<T> {
  const isStdin = file === '-';
  const source = isStdin ? 'stdin' : file;
  const text = isStdin ? await io.stdin.read(MAX_INPUT_BYTES, command) : await readTextFile(io, file, command);
  const parsed = schema.safeParse(parseText(text, source, command));
  if (parsed.success) return parsed.data;
  const [{ path = '', message } = { message: 'is invalid' }] = listIssues(parsed.error);
  throw new UsageError(`${source}: ${path === '' ? '' : `${path} `}${message}`, command);
}

/** @throws UsageError if the file cannot be read */
export async function readTextFile(io: CliIo, file: string, command?: string): Promise<string> {
  return readFile(resolve(io.cwd, file), 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new UsageError(`${file} ${REASONS[error.code ?? ''] ?? `cannot be read (${error.code})`}`, command);
  });
}

/** Of an error of the file system: its own message repeats the path. */
const REASONS: Record<string, string> = {
  ENOENT: 'does not exist',
  EISDIR: 'is a folder',
  ENOTDIR: 'does not exist',
  EACCES: 'cannot be read: permission denied',
};

function parseText(text: string, source: string, command: string): unknown {
  if (text.trim() === '') throw new UsageError(`${source} is empty; it must be JSON`, command);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`${source} is not JSON: ${error instanceof Error ? error.message : String(error)}`, command);
  }
}
