// One case in a process of its own, because a killed guard takes its process along. Prints what the reader received, as a line of JSON.
import { writeSync } from 'node:fs';

/** @param {(it: { name: string, modelUrl: string, show: (text: string) => void }) => Promise<void>} run */
export async function runCase(run) {
  const [name] = process.argv.slice(2);
  const write = (event) => writeSync(1, `${JSON.stringify(event)}\n`);
  try {
    await run({ name, modelUrl: process.env.MODEL_URL, show: (text) => write({ text }) });
    write({ ended: 'finished' });
  } catch (error) {
    write({ ended: String(error?.message ?? error) });
  }
}
