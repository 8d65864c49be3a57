// A new processor or tool in Python: a folder with the module that carries the protocol.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { agentFile, pythonFiles, type Kind } from './scaffold.ts';
import { writeNew } from './write-new.ts';

/** Copied from the examples: the module, and the version of its NATS client. */
const COPIED = ['millrace.py', 'requirements.txt'];

export async function makePythonFolder(checkout: string, folder: string, kind: Kind, id: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const { name, text } of [...pythonFiles(kind, id), agentFile(kind, id)])
    await writeNew(join(folder, name), text);
  for (const name of COPIED)
    await writeNew(join(folder, name), await readFile(join(checkout, 'examples/python', name), 'utf8'));
}
