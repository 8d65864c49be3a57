// Where NATS is, for services and clients alike: NATS_URL, else the stack that runs in this checkout, else NATS's own port here.
// The environment is handed in: only programs read it.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MillraceError } from '@millrace/contracts';
import { z } from 'zod';

export type Env = Record<string, string | undefined>;
export type Address = {
  url: string;
  /** Who said so: `NATS_URL`, the path of a stack.json, or `default`. */
  source: string;
};

export const DEFAULT_URL = 'nats://localhost:4222';
/** Written by `npm start` for as long as the stack runs. */
const STACK_FILE = join('.millrace', 'stack.json');
const stackSchema = z.looseObject({ natsUrl: z.string().min(1) });

/**
 * @param cwd where the search for `.millrace/stack.json` begins; it goes on upwards
 * @throws config-invalid when the file that is found says nothing
 */
export async function resolveAddress(env: Env, cwd: string): Promise<Address> {
  if (env['NATS_URL']) return { url: env['NATS_URL'], source: 'NATS_URL' };
  for (let dir = cwd; ; dir = dirname(dir)) {
    const file = join(dir, STACK_FILE);
    const text = await readIfThere(file);
    if (text !== undefined) return { url: natsUrlOf(file, text), source: file };
    if (dirname(dir) === dir) return { url: DEFAULT_URL, source: 'default' };
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

function natsUrlOf(file: string, text: string): string {
  try {
    return stackSchema.parse(JSON.parse(text)).natsUrl;
  } catch (cause) {
    throw new MillraceError('config-invalid', `${file} does not say where NATS is.`, {
      cause,
      path: file,
      remedy: 'Delete the file and start the stack again, or set NATS_URL.',
    });
  }
}
