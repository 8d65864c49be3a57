import { keyRecordSchema, type KeyRequest } from '@millrace/contracts';
import { createApiKey, hashSecret } from '@millrace/identity';
import { expect, test } from 'vitest';
import { createKeyRecord, isExpired, toIdentity, toShownKey } from './key-rules.ts';

const now = Date.parse('2026-06-01T00:00:00.000Z');
const key = createApiKey();
const create = (request: KeyRequest) => createKeyRecord('acme', request, key, now);
const later = (ms: number) => new Date(now + ms).toISOString();
const YEAR_MS = 366 * 24 * 3_600_000;

test('A record holds the hash of the secret, and neither the record nor its shown form the secret', () => {
  const record = create({ scopes: ['run'], subject: 'ada', label: 'phone' });
  expect(keyRecordSchema.parse(record)).toEqual(record);
  expect(record).toMatchObject({ id: key.id, tenant: 'acme', sha256: hashSecret(key.secret), createdAt: later(0) });
  expect(JSON.stringify(record)).not.toContain(key.secret);
  expect(toShownKey(record)).toEqual({
    id: key.id,
    scopes: ['run'],
    subject: 'ada',
    label: 'phone',
    createdAt: later(0),
  });
});

test('The identity of a key has its rights and its id, and no hash', () => {
  const request: KeyRequest = { scopes: ['run'], subject: 'ada', agents: ['demo'], limits: { streams: 2 } };
  expect(toIdentity(create({ ...request, expiresAt: later(1), label: 'x' }))).toEqual({
    ...request,
    tenant: 'acme',
    keyId: key.id,
    expiresAt: later(1),
  });
  expect(toIdentity(create({ scopes: ['admin'] }))).toEqual({ tenant: 'acme', scopes: ['admin'], keyId: key.id });
});

test.each<KeyRequest['scopes'][]>([[['run']], [['read']], [['answer']], [['run', 'admin']]])(
  'The scopes %j need a subject',
  (scopes) => {
    expect(() => create({ scopes })).toThrow(expect.objectContaining({ code: 'key-invalid', path: 'subject' }));
    expect(create({ scopes, subject: 'ada' }).subject).toBe('ada');
  },
);

test.each<KeyRequest['scopes'][]>([[['admin']], [['run', 'operate']], [['run', 'act-as']], [['act-as']]])(
  'The scopes %j need no subject',
  (scopes) => expect(create({ scopes }).scopes).toEqual(scopes),
);

test.each<[string, KeyRequest]>([
  ['expiresAt', { scopes: ['admin'], expiresAt: later(0) }],
  ['expiresAt', { scopes: ['admin'], expiresAt: later(-1) }],
  ['expiresAt', { scopes: ['admin'], expiresAt: later(11 * YEAR_MS) }],
  ['agents', { scopes: ['read'], subject: 'ada', agents: ['demo'] }],
  ['limits', { scopes: ['admin'], limits: {} }],
])('A request that contradicts itself is refused by its member %s', (path, request) => {
  expect(() => create(request)).toThrow(expect.objectContaining({ code: 'key-invalid', path }));
});

test('A key expires at its time and not before; a key without a time never expires', () => {
  const record = create({ scopes: ['admin'], expiresAt: later(10) });
  expect([isExpired(record, now + 9), isExpired(record, now + 10)]).toEqual([false, true]);
  expect(isExpired(create({ scopes: ['admin'] }), now + 100 * YEAR_MS)).toBe(false);
});
