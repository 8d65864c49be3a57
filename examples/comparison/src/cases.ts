// Millrace: processors as services, on the stack that `npm start` serves. The development model answers by the script in the message.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect } from '@millrace/client';
import { runCase } from '../run-case.mjs';

const CASES: Record<string, object> = {
  'no-guard': {},
  'input-throws': { input: ['input-throws'] },
  'stream-throws': { output: ['stream-throws'] },
  'guard-killed': { input: ['guard-killed'] },
  'cut-secret': { output: ['pii'] },
};
const SCRIPT = JSON.stringify([{ text: 'The card is 4111 1111 1111 1111, thank you.', chunkSize: 19 }]);
const START_TRIES = 240;

await runCase(async ({ name, show }) => {
  const guard = spawn(process.execPath, [join(import.meta.dirname, 'guard.ts')], {
    env: { ...process.env, HEALTH_PORT: '0' },
    stdio: 'ignore',
  });
  const client = await connect({ env: process.env });
  try {
    const isServed = async () => (await client.processors.list()).some(({ id }) => id === 'guard-killed');
    for (let tries = 0; !(await isServed()); tries++) {
      if (tries === START_TRIES) throw new Error('the guard does not start');
      await sleep(250);
    }
    const agent = `comparison-${name}`;
    await client.agents.apply({ name: agent, model: 'openai/gpt-5-mini', ...CASES[name] });
    const run = await client.start(agent, `Which card do I use?\n\`\`\`script\n${SCRIPT}\n\`\`\``);
    for await (const chunk of run.fullStream) if (chunk.type === 'text-delta') show(chunk.payload.text);
    const { status, error } = await run.result();
    if (status !== 'finished') throw new Error(`${status}: ${error?.message}`);
  } finally {
    await client.close();
    if (guard.exitCode === null && guard.signalCode === null && guard.kill()) await once(guard, 'exit');
  }
});
