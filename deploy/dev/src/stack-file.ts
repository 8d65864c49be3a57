// `.millrace/stack.json`: where the running stack listens. Written once it serves and removed when it stops, so that a reader
// who finds it finds a stack; what a killed stack left is told apart by the claim on the directory (claim-stack.ts), never by
// the process id alone, since ids are used again. The client reads `natsUrl` from it.
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';

const stackSchema = z.object({
  /** Without credentials: the file can be read by others. */
  natsUrl: z.string(),
  /** Of `npm start` itself. */
  pid: z.number().int().positive(),
  /** Of what listens on this machine, by name; an address given by the environment has none. */
  ports: z.record(z.string(), z.number().int()),
  services: z.array(z.string()),
  startedAt: z.iso.datetime(),
});
export type Stack = z.infer<typeof stackSchema>;

/** Whole or not at all: a reader never sees half of it. */
export async function writeStack(path: string, stack: Stack): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const complete = `${path}.${process.pid}`;
  await writeFile(complete, `${JSON.stringify(stack, undefined, 2)}\n`);
  await rename(complete, path);
}

/** Undefined where there is none, or one that another version wrote. */
export async function readStack(path: string): Promise<Stack | undefined> {
  try {
    return stackSchema.parse(JSON.parse(await readFile(path, 'utf8')));
  } catch {
    return undefined;
  }
}

export function removeStack(path: string): Promise<void> {
  return rm(path, { force: true });
}
