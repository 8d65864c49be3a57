import { expect, test } from 'vitest';
import { runCommand } from './run-command.ts';

const env = { PATH: process.env['PATH'] };
const shell = (script: string, timeoutMs = 5_000, signal?: AbortSignal) =>
  runCommand('/bin/sh', ['-c', script], { env, timeoutMs, signal });

test('hands back both outputs of a command that ends well', async () => {
  expect(await shell('echo out; echo err >&2')).toEqual({ ok: true, stdout: 'out\n', stderr: 'err\n' });
});

test('runCommand reports the code and the last line of a failed command', async () => {
  expect(await shell('echo first >&2; echo last >&2; exit 7')).toMatchObject({
    ok: false,
    failure: 'exit code 7: last',
  });
  expect(await shell('kill -KILL $$')).toMatchObject({ ok: false, failure: 'ended by SIGKILL' });
});

test('a program that is not there is a failure, not an exception', async () => {
  const result = await runCommand('/no/such/program', [], { env, timeoutMs: 1_000 });
  expect(result).toMatchObject({ ok: false, failure: expect.stringContaining('ENOENT') });
});

test('ends one that takes too long, also when a child of it holds on to the output', async () => {
  const startedAt = performance.now();
  expect(await shell('sleep 1 & wait', 100)).toMatchObject({ ok: false, failure: 'did not end within 100 ms' });
  expect(performance.now() - startedAt).toBeLessThan(900);
});

test('a cancelled one throws the reason', async () => {
  const reason = new Error('enough');
  await expect(shell('exec sleep 5', 5_000, AbortSignal.abort(reason))).rejects.toBe(reason);
  const cancel = new AbortController();
  const running = shell('exec sleep 5', 5_000, cancel.signal);
  cancel.abort(reason);
  await expect(running).rejects.toBe(reason);
});
