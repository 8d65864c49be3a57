import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Bus } from './core/bus.ts';
import { request } from './core/request.ts';
import { serve } from './core/serve.ts';

const nats = useNats({
  extraConfig: `accounts {
    SERVICES: {
      jetstream: enabled
      users: [{ user: "server", password: "p" }, { user: "ada", password: "p" }, { user: "ada@example.com", password: "p" }]
      exports: [{ service: "imported.>", accounts: [CALLERS] }]
    }
    CALLERS: { users: [{ user: "caller", password: "p" }], imports: [{ service: { account: SERVICES, subject: "imported.>" } }] }
  }
  no_auth_user: ada`,
});
const server = useBus(nats, 'server', { user: 'server', pass: 'p' });

const visitor = useBus(nats, 'visitor');

const ask = (bus: Bus, subject: string) =>
  request(bus, { subject, payload: {}, reply: z.object({ n: z.number() }), timeoutMs: 5_000 });

async function recordReplySubjects(subject: string): Promise<string[]> {
  const replies: string[] = [];
  serve(server.bus, { subject, request: z.object({}), handle: () => Promise.resolve({ n: 1 }) });
  server.bus.nc.subscribe(subject, { callback: (_error, { reply }) => void replies.push(reply ?? '') });
  await server.bus.nc.flush();
  return replies;
}

test('A service answers a request of another account with an inbox that the server replaces', async () => {
  const replies = await recordReplySubjects('imported.one');
  const caller = await server.connect({ user: 'caller', name: 'caller' });
  expect(await ask(caller, 'imported.one')).toEqual({ ok: { n: 1 } });
  expect(replies).toEqual([expect.stringMatching(/^_R_\./)]);
});

test.each([
  ['of the user', { user: 'ada' }, '_INBOX.ada.'],
  ['of the service, if the user name is not a token', { user: 'ada@example.com' }, '_INBOX.server.'],
  ['of the options', { user: 'ada', inboxPrefix: '_INBOX.team.ada' }, '_INBOX.team.ada.'],
])('Inboxes have the prefix %s, those of JetStream too', async (_whose, options, prefix) => {
  const subject = `imported.${crypto.randomUUID()}`;
  const replies = await recordReplySubjects(subject);
  const bus = await server.connect(options);
  await ask(bus, subject);
  await ask(bus, subject);
  await bus.nc.request(subject, '{}');
  expect(replies.map((reply) => reply.startsWith(prefix))).toEqual([true, true, true]);
  const [first = '', second = ''] = replies;
  expect(first.slice(0, first.lastIndexOf('.'))).toBe(second.slice(0, second.lastIndexOf('.')));
  expect(first.slice(prefix.length)).toMatch(/^[0-9a-f]{32}\.[A-Za-z0-9_-]{16}$/);
  expect(second).not.toBe(first);
});

test('A connection without a user has the inboxes of its name', async () => {
  const subject = 'imported.anonymous';
  const replies = await recordReplySubjects(subject);
  const bus = await visitor.connect();
  await ask(bus, subject);
  expect(replies).toEqual([expect.stringMatching(/^_INBOX\.visitor\.[0-9a-f]{32}\./)]);
});
