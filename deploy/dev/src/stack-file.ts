// `.millrace/stack.json`: addresses of the running stack. Written when the stack serves and removed when it stops, so
// an existing file means a running stack; a leftover of a killed stack is detected by the claim on the directory
// (claim-stack.ts), never by the process id alone, because ids are reused. The client reads `natsUrl` from it.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const stackSchema = z.object({
  /** Without credentials: the file can be read by others. */
  natsUrl: z.string(),
  /** Of the WebSocket listener of NATS; absent if NATS was not started here. */
  webSocketUrl: z.string().optional(),
  /** Of `npm start` itself. */
  pid: z.number().int().positive(),
  /** Ports on this machine, by name; an address from the environment has none. */
  ports: z.record(z.string(), z.number().int()),
  services: z.array(z.string()),
  /** Folder with the keys of the roles; absent if NATS was not started here. */
  keys: z.string().optional(),
  startedAt: z.iso.datetime(),
});
export type StackFile = z.infer<typeof stackSchema>;

/** Whole or not at all: a reader never sees half of it. */
export async function writeStack(path: string, stack: StackFile): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const complete = `${path}.${process.pid}`;
  await writeFile(complete, `${JSON.stringify(stack, undefined, 2)}\n`);
  await rename(complete, path);
}

/** Returns undefined if the file is missing, or of another version. */
export async function readStack(path: string): Promise<StackFile | undefined> {
  try {
    return stackSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

export function removeStack(path: string): Promise<void> {
  return rm(path, { force: true });
}
