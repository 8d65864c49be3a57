import { expect, test } from 'vitest';
import { locateStateDir } from './state-dir.ts';
import { createSubjects } from '@millrace/contracts';
import { openKeyFolder } from '@millrace/identity';
import { scratchDir } from './testing/scratch-dir.ts';
import { formatAddresses, formatRunningStack, formatUsage } from './startup-output.ts';

const elsewhere = (url: string) => ({ url, about: 'from the environment', isOurs: false });

test('Addresses are printed without their credentials', () => {
  const stack = {
    servers: {
      nats: elsewhere('nats://ada:s3cret@nats:4222'),
      redis: elsewhere('redis://:s3cret@redis:6379/0'),
      qdrant: elsewhere('https://s3cret@qdrant:6333'),
    },
    gatewayUrl: 'http://127.0.0.1:2',
    services: [],
    gaveUp: new Promise<string>(() => {}),
  };
  const lines = formatAddresses(stack, locateStateDir('/tmp/x')).join('\n');
  for (const address of ['nats://nats:4222', 'redis://redis:6379', 'https://qdrant:6333'])
    expect(lines).toContain(address);
  expect(lines).not.toContain('s3cret');
});

const url = 'nats://127.0.0.1:1';

test('The usage text mentions credentials for another terminal if they are needed', () => {
  expect(formatUsage('demo', { url, hasCredentials: true })[0]).toBe(
    'Talk to it, in another terminal that has the same NATS_URL:',
  );
  expect(formatUsage('demo', { url })[0]).toBe('Talk to it, in another terminal:');
});

test('The usage text has a line for the stock command line of NATS, with the key and the inboxes of an operator', async () => {
  const keys = await scratchDir();
  const { keys: publicKeys } = await openKeyFolder(keys, createSubjects());
  const inboxes = `_INBOX.${publicKeys['operator']}`;
  expect(formatUsage('demo', { url, keys }).join('\n')).toContain(
    `nats -s ${url} --nkey ${keys}/operator/user.nk --inbox-prefix ${inboxes} sub`,
  );
});

test('For a running stack the address and the way to stop it are printed', () => {
  const stack = { natsUrl: 'nats://127.0.0.1:1', pid: 7, ports: {}, services: [], startedAt: 'today' };
  expect(formatRunningStack(stack, 'demo').join('\n')).toMatch(
    /process 7, since today, NATS at nats:\/\/127\.0\.0\.1:1\.[^]*kill 7/,
  );
});
