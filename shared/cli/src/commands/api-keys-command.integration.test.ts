// Tests `millrace api-keys` over a real NATS server with scripted answers of auth.
import { MillraceError, type KeyRequest } from '@millrace/contracts';
import { serveScriptedApi, useBus, useNats, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';

const nats = useNats();
const service = useBus(nats, 'auth');
const asked: KeyRequest[] = [];
const createdAt = '2026-01-01T00:00:00.000Z';
const past = '2020-01-01T00:00:00.000Z';
let api: ScriptedApi;
const cli = (...args: string[]) => millrace(['api-keys', ...args], { env: { NATS_URL: nats.url } });

beforeEach(() => void (asked.length = 0));
beforeAll(async () => {
  api = serveScriptedApi(service.bus, {
    answers: {
      'keys-create': async (request) => {
        asked.push(request);
        if (request.label === 'refuse')
          throw new MillraceError('key-invalid', 'A key with the scope run needs a subject.', { path: 'subject' });
        return { ...request, id: 'abcdefgh', createdAt, key: 'mk_abcdefgh_secret' };
      },
      'keys-list': async ({ after }) =>
        after === undefined
          ? {
              keys: [{ id: 'aaaaaaaa', scopes: ['run'], subject: 'ada', agents: ['demo'], createdAt }],
              next: 'aaaaaaaa',
            }
          : { keys: [{ id: 'bbbbbbbb', scopes: ['operate', 'admin'], createdAt, expiresAt: past, label: 'old' }] },
      'keys-revoke': async ({ id }) => {
        if (id === 'abcdefgh') return { id };
        throw new MillraceError('key-unknown', `The tenant has no API key "${id}".`);
      },
    },
  });
  await service.bus.nc.flush();
});
afterAll(() => api.stop());

test('create prints the key alone on stdout, and sends what the options name', async () => {
  const options = ['--scopes', 'run, read', '--subject', 'ada', '--agents', 'demo,helper', '--label', 'phone'];
  const limits = ['--requests-per-minute', '60', '--streams', '4', '--tokens-per-day', '100000'];
  const { code, stdout, stderr } = await cli('create', ...options, ...limits);
  expect([code, stdout]).toEqual([0, 'mk_abcdefgh_secret\n']);
  expect(stderr).toContain('cannot be printed again');
  expect(asked).toEqual([
    {
      scopes: ['run', 'read'],
      subject: 'ada',
      agents: ['demo', 'helper'],
      label: 'phone',
      limits: { requestsPerMinute: 60, streams: 4, tokensPerDay: 100_000 },
    },
  ]);
});

test.each([
  ['90d', 90 * 24 * 3_600_000],
  ['12h', 12 * 3_600_000],
  ['30m', 30 * 60_000],
])('create --expires %s is counted from now on', async (text, ms) => {
  const before = Date.now();
  await cli('create', '--scopes', 'admin', '--expires', text);
  const at = Date.parse(asked[0]?.expiresAt ?? '') - ms;
  expect(at).toBeGreaterThanOrEqual(before);
  expect(at).toBeLessThanOrEqual(Date.now());
});

test('create --expires takes a date', async () => {
  await cli('create', '--scopes', 'admin', '--expires', '2030-01-31');
  expect(asked).toEqual([{ scopes: ['admin'], expiresAt: '2030-01-31T00:00:00.000Z' }]);
});

test.each([
  ['an unknown scope', ['--scopes', 'run,root']],
  ['an empty scope', ['--scopes', 'run,']],
  ['an expiry that is no time', ['--scopes', 'admin', '--expires', 'soon']],
  ['an expiry that is no date', ['--scopes', 'admin', '--expires', '2030-13-45']],
  ['a limit of zero', ['--scopes', 'admin', '--streams', '0']],
  ['no scopes', []],
])('create rejects %s as wrong usage, and sends nothing', async (_, args) => {
  expect((await cli('create', ...args)).code).toBe(1);
  expect(asked).toEqual([]);
});

test('create prints the refusal of auth', async () => {
  const { code, stdout, stderr } = await cli('create', '--scopes', 'run', '--label', 'refuse');
  expect([code, stdout]).toEqual([5, '']);
  expect(stderr).toContain('needs a subject. (key-invalid)');
});

test('list prints every page, and marks an expired key', async () => {
  const { code, stdout } = await cli('list');
  expect(code).toBe(0);
  const rows = stdout.split('\n').map((line) => line.split(/ {2,}/));
  expect(rows).toContainEqual(['aaaaaaaa', 'run', 'ada', 'demo', 'never']);
  expect(rows).toContainEqual(['bbbbbbbb', 'operate,admin', '-', 'all', `${past} (expired)`, 'old']);
  expect(JSON.parse((await cli('list', '--json')).stdout)).toHaveLength(2);
});

test('revoke names the key, and fails for an unknown one', async () => {
  expect(await cli('revoke', 'abcdefgh')).toMatchObject({ code: 0, stdout: 'abcdefgh is revoked\n' });
  const { code, stderr } = await cli('revoke', 'zzzzzzzz');
  expect([code, stderr.includes('key-unknown')]).toEqual([5, true]);
});
