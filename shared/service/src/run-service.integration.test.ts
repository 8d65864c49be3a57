import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { eventually, useBus, useNats } from '@millrace/testkit';
import { request } from '@millrace/bus';
import { afterEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { spawnSample, type TestedProcess } from './testing/service-process.ts';

const nats = useNats({
  extraConfig: `authorization { users: [{ user: ada, password: s3cret }, { user: test, password: test }] }\nno_auth_user: test`,
});
const asker = useBus(nats, 'asker');
const started: TestedProcess[] = [];
const spawn = (env: Record<string, string> = {}, cwd?: string) => {
  const service = spawnSample({ NATS_URL: nats.url, LOG_LEVEL: 'info', ...env }, cwd);
  started.push(service);
  return service;
};

const waitUntilUp = (service: TestedProcess) => eventually(() => service.readLog().includes('sample is up'));

afterEach(async () => {
  for (const service of started.splice(0)) {
    service.kill('SIGKILL');
    await service.ended;
  }
});

describe.each(['SIGTERM', 'SIGINT'] as const)('%s', (signal) => {
  test('The service drains: it answers requests in flight, releases all resources in reverse order, and exits with 0', async () => {
    const service = spawn();
    await waitUntilUp(service);
    const answer = request(asker.bus, {
      subject: 'sample.work',
      payload: {},
      reply: z.object({ done: z.boolean() }),
      timeoutMs: 10_000,
    });
    await service.waitForLine('working');
    service.kill(signal);
    await service.waitForLine(`sample: ${signal}, draining`);
    asker.bus.nc.publish('sample.finish');
    expect(await answer).toEqual({ ok: { done: true } });
    expect(await service.ended).toBe(0);
    expect(service.lines.slice(-2)).toEqual(['released work', 'released first']);
  });
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'A %s that npm duplicates counts once: the service drains and exits with 0',
  async (signal) => {
    const service = spawn();
    await waitUntilUp(service);
    const answer = request(asker.bus, { subject: 'sample.work', payload: {}, reply: z.unknown(), timeoutMs: 10_000 });
    await service.waitForLine('working');
    service.kill(signal);
    await service.waitForLine(`sample: ${signal}, draining`);
    service.kill(signal);
    asker.bus.nc.publish('sample.finish');
    expect(await answer).toEqual({ ok: { done: true } });
    expect(await service.ended).toBe(0);
  },
);

test('a second signal ends a process that does not finish its work', async () => {
  const service = spawn();
  await waitUntilUp(service);
  void request(asker.bus, { subject: 'sample.work', payload: {}, reply: z.unknown(), timeoutMs: 1_000 });
  await service.waitForLine('working');
  service.kill('SIGTERM');
  await service.waitForLine('sample: SIGTERM, draining');
  let end: unknown;
  void service.ended.then((how) => (end = how));
  // A signal within this time is a forwarded duplicate.
  await eventually(() => (service.kill('SIGTERM'), end), { pollMs: 100 });
  expect(end).toBe('SIGTERM');
});

test('The address of NATS is logged without its credentials', async () => {
  const service = spawn({ NATS_URL: nats.url.replace('//', '//ada:s3cret@'), LOG_LEVEL: 'trace' });
  await waitUntilUp(service);
  service.kill('SIGTERM');
  await service.ended;
  expect(service.readLog()).toContain(nats.url);
  expect(service.readLog() + service.lines.join()).not.toContain('s3cret');
});

test('Without NATS_URL a service joins the stack of .millrace/stack.json, found upwards, and logs the source of the address', async () => {
  const checkout = await mkdtemp(join(tmpdir(), 'millrace-service-'));
  try {
    const file = join(checkout, '.millrace', 'stack.json');
    const cwd = join(checkout, 'processors', 'mine');
    await Promise.all([mkdir(dirname(file)), mkdir(cwd, { recursive: true })]);
    await writeFile(file, JSON.stringify({ natsUrl: nats.url }));
    const service = spawn({ NATS_URL: '' }, cwd);
    await waitUntilUp(service);
    expect(service.readLog()).toContain(`"nats":"${nats.url}","from":"${file}"`);
  } finally {
    await rm(checkout, { recursive: true });
  }
});

describe('a start that fails ends the process with 1 and the reason', () => {
  test('Opened resources are released', async () => {
    const service = spawn({ SAMPLE_FAIL: 'the store is not there' });
    expect(await service.ended).toBe(1);
    expect(service.lines).toEqual(['released first', 'sample did not start: the store is not there (internal)']);
  });

  test('a wrong environment names every variable', async () => {
    const service = spawn({ LOG_LEVEL: 'loud', HEALTH_PORT: 'x', NATS_URL: 'nats://ada:s3cret@host' });
    expect(await service.ended).toBe(1);
    expect(service.lines.join()).not.toContain('s3cret');
    expect(service.lines.join()).toMatch(/LOG_LEVEL: .*HEALTH_PORT: .*\(config-invalid\)/);
  });
});
