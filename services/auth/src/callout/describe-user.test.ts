import { createSubjects, hashCaller, type Identity, type Scope } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { describeUser, nameKeyUser, readKeyUser } from './describe-user.ts';

const subjects = createSubjects();
const now = Date.parse('2026-06-01T00:00:00.000Z');
const ada: Identity = { tenant: 'acme', subject: 'ada', scopes: ['run'], keyId: 'abcdefgh' };
const describe = (more: Partial<Identity>) => describeUser({ ...ada, ...more }, { subjects, now });
const caller = await hashCaller('acme', 'ada');

test('A key becomes a user of its own caller, named by its id, and a JWT one that is named by its caller', async () => {
  expect(await describe({})).toEqual({
    ok: {
      name: 'key:abcdefgh',
      expiresAt: now / 1_000 + 24 * 3_600,
      permissions: {
        publish: { allow: expect.arrayContaining([`mr.v1.api.submit.acme.${caller}.*`]) },
        subscribe: { allow: [`mr.v1.chunks.acme.${caller}.*`, `_INBOX.${caller}.>`] },
      },
    },
  });
  const described = await describe({});
  const { publish } = 'ok' in described ? described.ok.permissions : { publish: { deny: [] } };
  const published = 'allow' in publish ? publish.allow : [];
  expect(published.filter((subject) => !subject.includes(`.acme.${caller}`))).toEqual([]);
  const { keyId: _keyId, ...jwt } = ada;
  expect(await describeUser(jwt, { subjects, now })).toMatchObject({ ok: { name: `jwt:${caller}` } });
  expect([readKeyUser(nameKeyUser('abcdefgh')), readKeyUser(`jwt:${caller}`)]).toEqual(['abcdefgh', undefined]);
});

test('The user ends with its credential, and after a day at the latest', async () => {
  const expiresAt = new Date(now + 5_500).toISOString();
  expect(await describe({ expiresAt })).toMatchObject({ ok: { expiresAt: now / 1_000 + 5 } });
});

test('A credential of all scopes has the rights of an end client alone', async () => {
  const all: Scope[] = ['run', 'read', 'answer', 'act-as', 'operate', 'admin'];
  const [most, ends] = [await describe({ scopes: all }), await describe({ scopes: ['run', 'read', 'answer'] })];
  expect(most).toEqual(ends);
  expect(JSON.stringify(most)).not.toMatch(/operator|resume|keys-|agents-apply|suspended/);
});

test.each<[string, Partial<Identity>]>([
  ['agents', { agents: ['demo'] }],
  ['limits', { limits: { streams: 1 } }],
  ['without a subject', { subject: undefined }],
  ['no scope', { scopes: ['act-as', 'operate', 'admin'] }],
])('A credential that NATS cannot hold to its rights is refused: %s', async (reason, more) => {
  expect(await describe(more)).toEqual({ refused: expect.stringContaining(reason) });
});

test('A client that only answers hears no chunks', async () => {
  expect(await describe({ scopes: ['answer'] })).toMatchObject({
    ok: { permissions: { subscribe: { allow: [`_INBOX.${caller}.>`] } } },
  });
});
