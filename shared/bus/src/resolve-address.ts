// Finds the address of NATS for services and clients: NATS_URL, the stack of this checkout, or NATS's own port on this
// host. The environment is an argument: only programs read it.
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MillraceError } from '@millrace/contracts';
import { z } from 'zod';

export type Env = Record<string, string | undefined>;
export type BusAddress = {
  url: string;
  /** Source of the address: `NATS_URL`, the path of a stack.json, or `default`. */
  source: string;
};

export const DEFAULT_URL = 'nats://localhost:4222';
/** `npm start` writes this file while the stack runs. */
const STACK_FILE = join('.millrace', 'stack.json');
const stackSchema = z.looseObject({ natsUrl: z.string().min(1) });

/**
 * @param cwd start of the upward search for `.millrace/stack.json`
 * @throws config-invalid if the file has no address
 */
export async function resolveAddress(env: Env, cwd: string): Promise<BusAddress> {
  if (env['NATS_URL']) return { url: env['NATS_URL'], source: 'NATS_URL' };
  for (let dir = cwd; ; dir = dirname(dir)) {
    const file = join(dir, STACK_FILE);
    const text = await readIfThere(file);
    if (text !== undefined) return { url: readNatsUrl(file, text), source: file };
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

function readNatsUrl(file: string, text: string): string {
  try {
    return stackSchema.parse(JSON.parse(text)).natsUrl;
  } catch (cause) {
    throw new MillraceError('config-invalid', `${file} contains no NATS address.`, {
      cause,
      path: file,
      remedy: 'Delete the file and start the stack again, or set NATS_URL.',
    });
  }
}
