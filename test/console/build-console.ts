// Builds the console for tests and the bench, into a folder that they share.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

const root = join(import.meta.dirname, '../..');
const OUT = join(root, 'node_modules/.cache/millrace-console');

/** Builds the console, once per content. Returns the folder, or undefined with a printed reason. */
export async function buildConsole(): Promise<string | undefined> {
  const child = spawn(process.execPath, [join(root, 'console/build.mjs'), '--out', OUT], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [code] = await once(child, 'close');
  if (code === 0) return OUT;
  process.stdout.write(`The console cannot be built here, its tests are skipped: ${output.trim()}\n`);
  return undefined;
}
