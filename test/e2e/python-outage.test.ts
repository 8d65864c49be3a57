// A program of the Python helper that is stopped while its NATS server is away.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { usePython } from './python/use-python.ts';

const nats = useNats();
const tests = useBus(nats, 'tests');
const { folder, python, requirePython } = usePython();

test('millrace.py: a program ends in order after SIGTERM while NATS is away', async (context) => {
  requirePython(context);
  const env = { ...process.env, NATS_URL: nats.url };
  const child = spawn(python(), [join(folder, 'short.py')], { env, stdio: ['ignore', 'ignore', 'pipe'] });
  const exited = once(child, 'exit');
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (output += text));
  try {
    await eventually(() => tests.bus.nc.request('$SRV.PING.py-short-service', '', { timeout: 1_000 }), {
      timeoutMs: 20_000,
    });
    await nats.stop();
    // The helper reports the lost connection.
    await eventually(() => output.includes('py-short-service: '), { timeoutMs: 20_000 });
  } finally {
    child.kill('SIGTERM');
  }
  expect(await exited).toEqual([0, null]);
  expect(output).not.toContain('Traceback');
  await nats.start();
}, 60_000);
