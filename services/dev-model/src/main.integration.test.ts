// The process of dev-model: the environment selects its log lines.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startDevModel } from './start-dev-model.ts';

const MAIN = new URL('main.ts', import.meta.url).pathname;
const quiet = { info: () => {}, warn: () => {}, error: () => {} };

async function pickFreePort(): Promise<number> {
  const { port, close } = await startDevModel({ port: 0, log: quiet });
  await close();
  return port;
}

const isAnswering = (url: string): Promise<boolean> =>
  fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );

/** Starts the process, sends a model call, stops the process, and returns its lines. */
async function logCall(level: string): Promise<string> {
  const port = await pickFreePort();
  const child = spawn(process.execPath, [MAIN], {
    env: { ...process.env, PORT: String(port), LOG_LEVEL: level },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = text(child.stdout);
  const url = `http://127.0.0.1:${port}`;
  while (child.exitCode === null && !(await isAnswering(`${url}/healthz`))) await delay(20);
  const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'hello' }] });
  await fetch(`${url}/v1/chat/completions`, { method: 'POST', body });
  child.kill();
  await once(child, 'exit');
  return lines;
}

test('The process logs a model call at info, and logs nothing of it if LOG_LEVEL is warn.', async () => {
  expect(await logCall('info')).toContain('model call answered');
  expect(await logCall('')).toContain('model call answered');
  expect(await logCall('warn')).toBe('');
});

test('The process does not start with a LOG_LEVEL that no service has, and names the levels.', async () => {
  const env = { ...process.env, PORT: '0', LOG_LEVEL: 'loud' };
  const child = spawn(process.execPath, [MAIN], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const [errors] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect(child.exitCode).toBe(1);
  expect(errors).toContain('LOG_LEVEL is "loud": set it to one of trace, debug, info, warn, error, silent.');
});
