// A server that dies at a test's word, in the time that the test makes.
import type { RunningServer } from '@millrace/servers';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { keepServer } from './keep-server.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] });
  return () => void vi.useRealTimers();
});

const policy = { firstDelayMs: 0, maxDelayMs: 0, maxDeaths: 3, windowMs: 60_000 };

function mortal() {
  const { promise: exited, resolve: die } = Promise.withResolvers<number | null>();
  const server: RunningServer = {
    kind: 'running',
    url: 'nats://127.0.0.1:4222',
    pid: 1,
    version: '1.0.0',
    source: 'PATH',
    logFile: 'nats.log',
    stop: async () => die(0),
    exited,
  };
  return { server, die };
}

function keepMortal(restart = async () => undefined) {
  const lives = [mortal()];
  const reports: string[] = [];
  const [first] = lives;
  if (!first) throw new Error('it has a first life');
  const kept = keepServer({
    name: 'nats',
    server: first.server,
    restart: async () => {
      await restart();
      const next = mortal();
      lives.push(next);
      return next.server;
    },
    report: (line) => reports.push(line),
    policy,
  });
  onTestFinished(() => kept.stop());
  const dieAndWait = async (ms: number) => {
    const before = lives.length;
    lives.at(-1)?.die(1);
    await vi.waitFor(() => {
      if (lives.length === before && !reports.at(-1)?.endsWith('stays down: nats.log')) throw new Error('not yet');
    });
    vi.advanceTimersByTime(ms);
  };
  return { kept, reports, lives, dieAndWait };
}

test('a server that dies now and then is started again each time, however often in its life', async () => {
  const { reports, lives, dieAndWait } = keepMortal();
  for (let death = 0; death < 10; death++) await dieAndWait(policy.windowMs / 2 + 1);
  expect(lives).toHaveLength(11);
  expect(reports.filter((line) => line.includes('stays down'))).toEqual([]);
});

test("A server that exceeds the policy's number of deaths within its window stays down and is reported", async () => {
  const { reports, lives, dieAndWait } = keepMortal();
  for (let death = 0; death < 5; death++) await dieAndWait(10);
  expect(lives).toHaveLength(policy.maxDeaths);
  expect(reports.at(-1)).toBe('nats ended (code 1) again and stays down: nats.log');
});

test('a start that fails counts as a death and is tried again', async () => {
  let failures = 1;
  const { reports, lives, dieAndWait } = keepMortal(async () => {
    if (failures-- > 0) throw new Error('the port is taken');
  });
  await dieAndWait(10);
  expect(lives).toHaveLength(2);
  expect(reports[1]).toBe('nats could not be started again: the port is taken');
});

test('a server that is asked to stop is not started again', async () => {
  const { kept, reports, lives } = keepMortal();
  await kept.stop();
  expect(lives).toHaveLength(1);
  expect(reports).toEqual([]);
});
