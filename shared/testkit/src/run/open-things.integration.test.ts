import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { listRemaining, leftOverAfter, openThings } from './open-things.ts';

const AT_ONCE = 0;

test('a server that listens is left over until it is closed', async () => {
  const before = openThings();
  const server = createServer().listen(0);
  await once(server, 'listening');
  expect(await leftOverAfter(before, AT_ONCE)).toContain('TCPServerWrap');
  server.close();
  expect(await leftOverAfter(before, 1_000)).toEqual([]);
});

test.runIf(process.platform === 'linux')('a child process is left over though nothing waits for it', async () => {
  const before = openThings();
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  child.unref();
  await once(child, 'spawn');
  expect(await leftOverAfter(before, AT_ONCE)).toEqual([expect.stringMatching(/^child process \S+ \(\d+\)$/)]);
  child.kill();
  expect(await leftOverAfter(before, 1_000)).toEqual([]);
});

test('two forgotten timers are named with their number', () => {
  const before = openThings();
  const timers = [setTimeout(() => undefined, 60_000), setInterval(() => undefined, 60_000)];
  expect(listRemaining(before, openThings())).toEqual(['2 x Timeout']);
  for (const timer of timers) clearTimeout(timer);
});

test('less than before is not left over', () => {
  expect(listRemaining({ Timeout: 2, PipeWrap: 1 }, { Timeout: 1, PipeWrap: 1 })).toEqual([]);
});
