// Finds the address of NATS for services and clients: NATS_URL, the stack of this checkout, or NATS's own port on this
// host. The environment is an argument: only programs read it.
import { readFile, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { MillraceError } from '@millrace/contracts';
import { z } from 'zod';

export type Env = Record<string, string | undefined>;
export type BusAddress = {
  url: string;
  /** Source of the address: `NATS_URL`, the path of a stack.json, or `default`. */
  source: string;
  /** Folder with the keys of the stack at this address. */
  keys?: string;
  /** Port of the gateway of the stack at this address, on this machine. */
  gatewayPort?: number;
};

export const DEFAULT_URL = 'nats://localhost:4222';
/** `npm start` writes this file while the stack runs. */
const STACK_FILE = 'stack.json';
const stackSchema = z.looseObject({
  natsUrl: z.string().min(1),
  keys: z.string().min(1).optional(),
  ports: z.looseObject({ gateway: z.number().int().optional() }).optional(),
});
type StackAddresses = z.infer<typeof stackSchema>;

/**
 * @param cwd start of the upward search for `.millrace/stack.json`
 * @throws config-invalid if the file has no address
 */
export async function resolveAddress(env: Env, cwd: string): Promise<BusAddress> {
  const named = env['NATS_URL'];
  if (named) {
    // A terminal may name the address of the stack: its keys are the same.
    const stack = await findStack(cwd).catch(() => undefined);
    return { url: named, source: 'NATS_URL', ...(stack?.natsUrl === named && readParts(stack)) };
  }
  const stack = await findStack(cwd);
  if (!stack) return { url: DEFAULT_URL, source: 'default' };
  return { url: stack.natsUrl, source: stack.file, ...readParts(stack) };
}

const readParts = ({ keys, ports }: StackAddresses): Pick<BusAddress, 'keys' | 'gatewayPort'> => ({
  ...(keys !== undefined && { keys }),
  ...(ports?.gateway !== undefined && { gatewayPort: ports.gateway }),
});

async function findStack(cwd: string): Promise<(StackAddresses & { file: string }) | undefined> {
  const file = await findStateEntry(cwd, STACK_FILE);
  const text = file === undefined ? undefined : await readIfThere(file);
  return file === undefined || text === undefined ? undefined : { file, ...readStack(file, text) };
}

/** Finds a file or folder of the local stack: `.millrace/<entry>` in a folder or above. */
export async function findStateEntry(cwd: string, entry: string): Promise<string | undefined> {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, '.millrace', entry);
    const found = await stat(path).catch(() => undefined);
    if (found) return path;
    if (dirname(folder) === folder) return undefined;
  }
}

async function readIfThere(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, 'utf8');
  } catch {
    return undefined;
  }
}

function readStack(file: string, text: string): StackAddresses {
  try {
    return stackSchema.parse(JSON.parse(text));
  } catch (cause) {
    throw new MillraceError('config-invalid', `${file} contains no NATS address.`, {
      cause,
      path: file,
      remedy: 'Delete the file and start the stack again, or set NATS_URL.',
    });
  }
}
