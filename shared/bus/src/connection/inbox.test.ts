import { expect, test } from 'vitest';
import { checkInboxPrefix, isInbox, createReplyTokens } from './inbox.ts';

test.each(['_INBOX.a', '_INBOX.UABC.0f.token', '_R_.x.y', '_GR_.x.y._INBOX.z', `_INBOX.${'x'.repeat(505)}`])(
  'A reply subject of an inbox or of an account import is accepted: %s',
  (subject) => expect(isInbox(subject)).toBe(true),
);

test.each([
  '_INBOX',
  '_INBOX.',
  '_INBOX_client.x.1',
  '_INBOX..x',
  '_INBOX.*',
  '_INBOX.x.>',
  '_INBOX.x y',
  '_INBOX.x\n',
  '_R_',
  '_RX_.x',
  'x._INBOX.y',
  'mr.v1.runs.0.acme',
  '$JS.API.STREAM.DELETE.X',
  `_INBOX.${'x'.repeat(506)}`,
])('Any other reply subject is refused: %j', (subject) => expect(isInbox(subject)).toBe(false));

test.each(['_INBOX.orchestrator', '_INBOX.a-b.c_d'])('A prefix of several tokens is accepted: %s', (prefix) =>
  expect(checkInboxPrefix(prefix)).toBe(prefix),
);

test.each([
  '',
  '_INBOX',
  '_INBOX.',
  '_INBOX.*',
  '_INBOX.a.>',
  'mr.v1',
  '_INBOX_a.b',
  '_INBOX.a b',
  `_INBOX${'.ab'.repeat(70)}`,
])('A prefix that is not of inboxes is refused with its variable: %j', (prefix) =>
  expect(() => checkInboxPrefix(prefix)).toThrow(
    expect.objectContaining({ code: 'config-invalid', path: 'NATS_INBOX_PREFIX' }),
  ),
);

test('Reply tokens are 96 random bits: no two are equal, and each character takes all values', () => {
  const next = createReplyTokens();
  const tokens = Array.from({ length: 20_000 }, next);
  expect(new Set(tokens).size).toBe(tokens.length);
  expect(tokens.every((token) => /^[A-Za-z0-9_-]{16}$/.test(token))).toBe(true);
  for (let at = 0; at < 16; at += 1) expect(new Set(tokens.map((token) => token[at])).size).toBe(64);
});
