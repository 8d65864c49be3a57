import { createCollectedLog, eventually, useBus, useNats } from '@millrace/testkit';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { nkeys } from 'nats';
import { afterAll, afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { connectBus, type Bus, type BusOptions } from './core/bus.ts';
import { listen } from './core/listen.ts';
import { publish } from './core/publish.ts';
import { request } from './core/request.ts';
import { serve } from './core/serve.ts';

const dir = mkdtempSync(join(tmpdir(), 'millrace-credentials-'));
afterAll(() => rmSync(dir, { recursive: true, force: true }));
const [first, second, stranger] = [nkeys.createUser(), nkeys.createUser(), nkeys.createUser()];
type Pair = typeof first;
const readSeed = (pair: Pair) => Buffer.from(pair.getSeed()).toString();

let users: Pair[] = [first];
let granted: string[] = [];
const describeUser = (pair: Pair) => {
  const subjects = JSON.stringify([...granted, `_INBOX.${pair.getPublicKey()}.>`, 'allowed.>']);
  return `{ nkey: ${pair.getPublicKey()}, permissions: { publish: ${subjects}, subscribe: ${subjects} } }`;
};
const nats = useNats({
  extraConfig: () => `authorization { users: [${users.map(describeUser).join()}, { user: all, password: all }] }`,
});
const all = useBus(nats, 'all', { user: 'all', pass: 'all' });

async function restart(change: { users?: Pair[]; granted?: string[] }): Promise<void> {
  await nats.kill();
  users = change.users ?? users;
  granted = change.granted ?? granted;
  await nats.start();
  await eventually(() => all.bus.nc.rtt());
}

const nkeyFile = join(dir, 'user.nk');
const writeSeed = (pair: Pair) => writeFileSync(nkeyFile, readSeed(pair), { mode: 0o600 });
beforeEach(() => {
  chmodSync(dir, 0o700);
  writeSeed(first);
});

const opened: Bus[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((bus) => bus.close()));
  if (users.length !== 1 || users[0] !== first || granted.length > 0) await restart({ users: [first], granted: [] });
});
async function connect(options: Partial<BusOptions> = {}): Promise<Bus> {
  const bus = await connectBus({ servers: nats.url, name: 'tested', connectTimeoutMs: 5_000, ...options });
  opened.push(bus);
  return bus;
}

const ask = (bus: Bus, subject: string, timeoutMs = 5_000) =>
  request(bus, { subject, payload: {}, reply: z.object({ n: z.number() }), timeoutMs });
const serveOne = async (subject: string) => {
  serve(all.bus, { subject, request: z.object({}), handle: () => Promise.resolve({ n: 1 }) });
  await all.bus.nc.flush();
};
const readInbox = (bus: Bus) => {
  const inbox = bus.inbox.open(() => undefined);
  inbox.release();
  return inbox.subject;
};
const matchInbox = (pair: Pair) => new RegExp(`^_INBOX\\.${pair.getPublicKey()}\\.[0-9a-f]{32}\\.[\\w-]{16}$`);

test('A seed connects, from a file or as it is, and the inboxes are those of its public key', async () => {
  await serveOne('allowed.ask');
  for (const options of [{ nkeySeed: readSeed(first) }, { nkeyFile }]) {
    const bus = await connect(options);
    expect(readInbox(bus)).toMatch(matchInbox(first));
    expect(await ask(bus, 'allowed.ask')).toEqual({ ok: { n: 1 } });
    expect(bus.findProblem()).toBeUndefined();
  }
});

test('A key overrides the credentials in the address', async () => {
  const bus = await connect({ nkeyFile, servers: nats.url.replace('//', '//all:wrong@') });
  expect(readInbox(bus)).toMatch(matchInbox(first));
});

test("Another user cannot subscribe to a user's inboxes", async () => {
  await restart({ users: [first, stranger] });
  const bus = await connect({ nkeySeed: readSeed(stranger) });
  const listening = listen(bus, `_INBOX.${first.getPublicKey()}.>`, z.unknown(), () => undefined);
  await bus.nc.flush();
  expect(listening.findRefusal()).toMatchObject({ code: 'permission-denied' });
});

test('A key that the server does not know is refused with a code and its public key, and never with its seed', async () => {
  const log = createCollectedLog();
  const failing = connect({ nkeySeed: readSeed(stranger), log });
  await expect(failing).rejects.toMatchObject({
    code: 'credentials-refused',
    message: expect.stringMatching(/refuses the connection: Authorization Violation/i),
    remedy: expect.stringContaining(stranger.getPublicKey()),
  });
  const error: unknown = await failing.catch((thrown: unknown) => thrown);
  expect(inspect([error, log.lines], { depth: Infinity, showHidden: true })).not.toContain(readSeed(stranger));
});

test('A connection without credentials is refused with the variables that it needs, also without a time limit', async () => {
  const failing = connectBus({ servers: nats.url, name: 'x' });
  await expect(failing).rejects.toMatchObject({
    code: 'credentials-refused',
    message: expect.stringContaining('without credentials'),
    remedy: expect.stringContaining('NATS_NKEY_FILE'),
  });
});

test('A wrong password is refused with the same code', async () => {
  const failing = connect({ user: 'all', pass: 'wrong' });
  await expect(failing).rejects.toMatchObject({ code: 'credentials-refused' });
});

test('A rotated seed is read at the reconnect: requests are answered in the inboxes of the new key', async () => {
  await serveOne('allowed.ask');
  const bus = await connect({ nkeyFile });
  writeSeed(second);
  await restart({ users: [second] });
  await eventually(() => bus.hasConnection());
  expect(readInbox(bus)).toMatch(matchInbox(second));
  expect(await ask(bus, 'allowed.ask')).toEqual({ ok: { n: 1 } });
  expect(bus.findProblem()).toBeUndefined();
});

test('A prefix of the options remains over a rotation', async () => {
  granted = ['_INBOX.team.>'];
  await restart({});
  const bus = await connect({ nkeyFile, inboxPrefix: '_INBOX.team' });
  writeSeed(second);
  await restart({ users: [second] });
  await eventually(() => bus.hasConnection());
  expect(readInbox(bus)).toMatch(/^_INBOX\.team\./);
});

test('A seed that cannot be read at a reconnect does not end the connection: it keeps the earlier key', async () => {
  const log = createCollectedLog();
  const bus = await connect({ nkeyFile, log });
  writeFileSync(nkeyFile, '');
  await restart({});
  await eventually(() => bus.hasConnection());
  expect(bus.findProblem()).toBeUndefined();
  expect(log.lines).toContainEqual(
    expect.objectContaining({ level: 'error', message: expect.stringContaining('keeps the earlier one') }),
  );
});

test('A file with rights for others is reported with its remedy', async () => {
  const log = createCollectedLog();
  chmodSync(nkeyFile, 0o644);
  await connect({ nkeyFile, log });
  expect(JSON.stringify(log.lines)).toContain(`chmod 600 ${nkeyFile}`);
});

test('Credentials that are refused at a reconnect are a problem, tried again with growing delays until they are accepted', async () => {
  const log = createCollectedLog();
  const bus = await connect({ nkeyFile, log });
  await restart({ users: [stranger] });
  await eventually(() => bus.findProblem()?.startsWith('NATS refuses the credentials'));
  expect(bus.hasConnection()).toBe(false);
  const countAttempts = () => log.lines.filter(({ message }) => message === 'nats: error').length;
  await eventually(() => countAttempts() >= 3);
  const before = countAttempts();
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect(countAttempts() - before).toBeLessThanOrEqual(2);
  expect(bus.nc.isClosed()).toBe(false);
  await restart({ users: [first] });
  await eventually(() => bus.hasConnection());
  expect(bus.findProblem()).toBeUndefined();
});

test('A refused subscription names its permission, and is opened again with the permissions of a new connection', async () => {
  const log = createCollectedLog();
  const bus = await connect({ nkeyFile, log });
  const seen: unknown[] = [];
  const listening = listen(bus, 'denied.sub', z.unknown(), (message) => seen.push(message));
  await bus.nc.flush();
  expect(bus.findProblem()).toBe('NATS refuses a permission: subscribe to denied.sub');
  expect(listening.findRefusal()).toMatchObject({ code: 'permission-denied', path: 'denied.sub' });
  expect(log.lines.filter(({ level }) => level === 'error')).toEqual([
    expect.objectContaining({
      message: 'The NATS user has no permission to subscribe to denied.sub.',
      fields: expect.objectContaining({ remedy: expect.stringContaining('permissions.subscribe') }),
    }),
  ]);
  await restart({});
  await eventually(() => bus.hasConnection() && bus.findProblem());
  expect(bus.findProblem()).toBe('NATS refuses a permission: subscribe to denied.sub');
  await restart({ granted: ['denied.sub'] });
  await eventually(() => bus.hasConnection() && !bus.findProblem());
  expect(listening.findRefusal()).toBeUndefined();
  await bus.nc.flush();
  publish(all.bus, 'denied.sub', { n: 1 });
  await eventually(() => seen.length === 1);
});

test('A refused publication names its permission once in the log, until the connection is replaced', async () => {
  const log = createCollectedLog();
  const bus = await connect({ nkeyFile, log });
  for (let n = 0; n < 20; n += 1) publish(bus, 'denied.pub', {});
  await bus.nc.flush();
  await eventually(() => bus.findProblem());
  expect(bus.findProblem()).toBe('NATS refuses a permission: publish on denied.pub');
  expect(log.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
  await restart({});
  await eventually(() => bus.hasConnection() && !bus.findProblem());
});

test('A request that the user may not publish fails at once and names the permission; others go on', async () => {
  await serveOne('allowed.ask');
  const bus = await connect({ nkeyFile });
  const started = performance.now();
  const [refused, alsoRefused, answered] = await Promise.all([
    ask(bus, 'denied.ask', 20_000),
    ask(bus, 'denied.ask', 20_000),
    ask(bus, 'allowed.ask'),
  ]);
  expect(performance.now() - started).toBeLessThan(5_000);
  for (const answer of [refused, alsoRefused])
    expect(answer).toMatchObject({
      error: {
        code: 'permission-denied',
        message: 'The NATS user has no permission to publish on denied.ask.',
        remedy: expect.stringContaining('permissions.publish'),
      },
    });
  expect(answered).toEqual({ ok: { n: 1 } });
});
