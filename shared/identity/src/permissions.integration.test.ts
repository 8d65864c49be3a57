// Each role tries every kind of subject on a real server. The expected table is written here by hand.
import { createSubjects } from '@millrace/contracts';
import { createUserKey, eventually, useBus, useNats } from '@millrace/testkit';
import type { Bus } from '@millrace/bus';
import { afterAll, describe, expect, test } from 'vitest';
import { describePermissions, writeNatsUsers } from './nats-config.ts';
import { ROLES, permitCaller } from './permissions.ts';

const subjects = createSubjects();
const pairs = Object.fromEntries(
  [...ROLES.map(({ name }) => name), 'alice', 'no-verbs'].map((name) => [name, createUserKey()]),
);
const seedBy = (name: string) => pairs[name]?.seed ?? '';
const keyBy = (name: string) => pairs[name]?.publicKey ?? '';
const keys = Object.fromEntries(ROLES.map(({ name }) => [name, keyBy(name)]));

const describeNoVerbs = (key: string) =>
  describePermissions(key, permitCaller(subjects, { tenant: 'acme', caller: 'c1', verbs: ['resume'] }));

function writeUsers(): string {
  const noVerbs = { nkey: keyBy('no-verbs'), permissions: describeNoVerbs(keyBy('no-verbs')) };
  const alice = permitCaller(subjects, { tenant: 'acme', caller: 'c1', verbs: ['submit', 'run', 'resume'] });
  const user = { nkey: keyBy('alice'), permissions: describePermissions(keyBy('alice'), alice) };
  return writeNatsUsers(subjects, keys).replace(
    'users = [',
    `users = [\n${JSON.stringify(user)},\n${JSON.stringify(noVerbs)},`,
  );
}
const nats = useNats({ extraConfig: writeUsers() });
const orchestrator = useBus(nats, 'orchestrator', { nkeySeed: seedBy('orchestrator') });
const opened: Bus[] = [];
afterAll(async () => void (await Promise.all(opened.map((bus) => bus.close()))));

/** A subject of each kind, also in variants of which a role has only one. */
const PROBES = [
  'mr.v1.stage.processInput.guardrails.pii',
  'mr.v1.stage.processInput.guardrails.pii.r1',
  'mr.v1.stage.processInput.message-history.message-history',
  'mr.v1.stage.processInput.mine.pii',
  'mr.v1.tool.tools.clock',
  'mr.v1.tool.mine.clock',
  'mr.v1.session.guardrails.r1.s1',
  'mr.v1.session.mine.r1.s1',
  'mr.v1.out.o1.s1',
  'mr.v1.cancel.guardrails',
  'mr.v1.cancel.mine',
  'mr.v1.forget.semantic-recall',
  'mr.v1.forget.mine',
  'mr.v1.api.submit.acme.operator.r1',
  'mr.v1.api.submit.acme.c1.r1',
  'mr.v1.api.submit.acme.c2.r1',
  'mr.v1.api.submit.other.c1.r1',
  'mr.v1.api.resume.acme.c1.r1',
  'mr.v1.api.agents-apply.acme.operator',
  'mr.v1.api.processors.acme.operator',
  'mr.v1.api.keys-create.acme.operator',
  'mr.v1.api.threads-list.acme.c1',
  'mr.v1.api.memory-get.acme.c1',
  'mr.v1.api.threads-search.acme.c1',
  'mr.v1.chunks.acme.c1.r1',
  'mr.v1.chunks.acme.c2.r1',
  'mr.v1.log.3.acme.r1.chunks',
  'mr.v1.events.0.acme.r1',
  'mr.v1.changes.acme.r1',
  'mr.v1.runs.0.acme',
  'mr.v1.timers.acme.r1',
  'mr.v1.control.acme.r1',
  'mr.v1.inspect.o1',
  'mr.v1.peer',
  'mr.v1.peer.o1',
  '$SRV.INFO',
  '$SRV.PING.guardrails.r1',
  '$SRV.PING.mine.r1',
  '$SRV.PING.gateway',
  '$SRV.PING.gateway.r1',
  '$JS.API.STREAM.DELETE.mr_v1_RUNS',
  '$JS.ACK.mr_v1_RUNS.x',
  '$KV.mr_v1_STATE.head.acme.r1',
  '$JS.API.STREAM.MSG.GET.KV_mr_v1_STATE',
  '$KV.mr_v1_KEYS.abcdefgh',
  '$JS.API.STREAM.MSG.GET.KV_mr_v1_KEYS',
  '$JS.API.STREAM.UPDATE.KV_mr_v1_KEYS',
  '$JS.API.STREAM.DELETE.KV_mr_v1_KEYS',
  '$JS.API.CONSUMER.CREATE.KV_mr_v1_KEYS.c.f',
  '$JS.API.DIRECT.GET.KV_mr_v1_KEYS.$KV.mr_v1_KEYS.abcdefgh',
  'mr.v1.auth.verify',
  'mr.v1.auth.exchange',
  'mr.v1.auth.revoked',
  '$SYS.REQ.SERVER.PING',
  '$SYS.REQ.SERVER.PING.CONNZ',
  '$SYS.REQ.USER.AUTH',
  '_INBOX.someone.else',
  'foreign.subject',
] as const;
type Probe = (typeof PROBES)[number];
const MINE: Probe[] = ['mr.v1.stage.processInput.mine.pii', 'mr.v1.tool.mine.clock', 'mr.v1.session.mine.r1.s1'];
const GUARDRAILS: Probe[] = [
  'mr.v1.stage.processInput.guardrails.pii',
  'mr.v1.stage.processInput.guardrails.pii.r1',
  'mr.v1.session.guardrails.r1.s1',
  'mr.v1.cancel.guardrails',
  '$SRV.PING.guardrails.r1',
];
const OUT: Probe[] = ['mr.v1.out.o1.s1'];
const ASKED_REPLICAS: Probe[] = [
  ...MINE,
  ...GUARDRAILS,
  'mr.v1.stage.processInput.message-history.message-history',
  'mr.v1.tool.tools.clock',
  'mr.v1.cancel.mine',
  '$SRV.INFO',
  '$SRV.PING.mine.r1',
  '$SRV.PING.gateway',
  '$SRV.PING.gateway.r1',
];
const APIS: Probe[] = PROBES.filter((subject) => subject.startsWith('mr.v1.api.'));
const MEMORY_APIS: Probe[] = [
  'mr.v1.api.threads-list.acme.c1',
  'mr.v1.api.memory-get.acme.c1',
  'mr.v1.api.threads-search.acme.c1',
];
const KEY_APIS: Probe[] = ['mr.v1.api.keys-create.acme.operator'];
const CHUNKS: Probe[] = ['mr.v1.chunks.acme.c1.r1', 'mr.v1.chunks.acme.c2.r1'];
const PEERS: Probe[] = ['mr.v1.control.acme.r1', 'mr.v1.inspect.o1', 'mr.v1.peer', 'mr.v1.peer.o1'];
const SRV: Probe[] = ['$SRV.INFO'];

const EXPECTED: Record<string, { publish: Probe[]; subscribe: Probe[] }> = {
  orchestrator: {
    publish: [
      ...ASKED_REPLICAS,
      'mr.v1.forget.semantic-recall',
      'mr.v1.forget.mine',
      ...CHUNKS,
      ...PEERS,
      'mr.v1.log.3.acme.r1.chunks',
      'mr.v1.events.0.acme.r1',
      'mr.v1.changes.acme.r1',
      'mr.v1.runs.0.acme',
      'mr.v1.timers.acme.r1',
      '$JS.API.STREAM.DELETE.mr_v1_RUNS',
      '$JS.ACK.mr_v1_RUNS.x',
      '$KV.mr_v1_STATE.head.acme.r1',
      '$JS.API.STREAM.MSG.GET.KV_mr_v1_STATE',
    ],
    subscribe: [
      ...APIS.filter((subject) => ![...MEMORY_APIS, ...KEY_APIS].includes(subject)),
      ...OUT,
      ...PEERS,
      ...SRV,
    ],
  },
  guardrails: { publish: OUT, subscribe: [...GUARDRAILS, ...SRV] },
  tools: { publish: OUT, subscribe: ['mr.v1.tool.tools.clock', ...SRV] },
  'message-history': {
    publish: [...OUT, 'mr.v1.forget.semantic-recall', 'mr.v1.forget.mine'],
    subscribe: ['mr.v1.stage.processInput.message-history.message-history', 'mr.v1.api.threads-list.acme.c1', ...SRV],
  },
  'semantic-recall': {
    publish: OUT,
    subscribe: ['mr.v1.forget.semantic-recall', 'mr.v1.api.threads-search.acme.c1', ...SRV],
  },
  'working-memory': { publish: OUT, subscribe: ['mr.v1.api.memory-get.acme.c1', ...SRV] },
  auth: {
    publish: [
      'mr.v1.auth.revoked',
      '$KV.mr_v1_KEYS.abcdefgh',
      '$JS.API.STREAM.MSG.GET.KV_mr_v1_KEYS',
      '$JS.API.STREAM.UPDATE.KV_mr_v1_KEYS',
      '$JS.API.CONSUMER.CREATE.KV_mr_v1_KEYS.c.f',
    ],
    subscribe: [...KEY_APIS, 'mr.v1.auth.verify', 'mr.v1.auth.exchange', '$SYS.REQ.USER.AUTH', ...SRV],
  },
  gateway: {
    publish: [...APIS, 'mr.v1.auth.verify', 'mr.v1.auth.exchange', '$SRV.PING.gateway', '$SRV.PING.gateway.r1'],
    subscribe: [...CHUNKS, 'mr.v1.auth.revoked', ...SRV, '$SRV.PING.gateway', '$SRV.PING.gateway.r1'],
  },
  operator: {
    publish: [
      'mr.v1.api.submit.acme.operator.r1',
      'mr.v1.api.agents-apply.acme.operator',
      'mr.v1.api.processors.acme.operator',
      'mr.v1.api.keys-create.acme.operator',
    ],
    subscribe: CHUNKS,
  },
  checker: { publish: ASKED_REPLICAS, subscribe: OUT },
  developer: {
    publish: OUT,
    subscribe: [...MINE, 'mr.v1.cancel.mine', 'mr.v1.forget.mine', ...SRV, '$SRV.PING.mine.r1'],
  },
  // Only an operator's verb was listed, and none is left: an empty list allows nothing.
  'no-verbs': { publish: [], subscribe: [] },
  alice: { publish: ['mr.v1.api.submit.acme.c1.r1'], subscribe: ['mr.v1.chunks.acme.c1.r1'] },
};

/** Returns the subjects that the server lets the user publish and subscribe. */
async function tryAll(name: string) {
  const bus = await orchestrator.connect({
    name: 'tried',
    nkeySeed: seedBy(name),
    inboxPrefix: `_INBOX.${keyBy(name)}`,
  });
  opened.push(bus);
  const refused = { publish: new Set<string>(), subscribe: new Set<string>() };
  void (async () => {
    for await (const status of bus.nc.status()) {
      if (status.type !== 'error') continue;
      const [, kind, subject] = /(Publish|Subscription) to "([^"]+)"/.exec(String(status.error)) ?? [];
      if (kind === 'Publish' && subject) refused.publish.add(subject);
    }
  })();
  for (const subject of PROBES) {
    bus.nc.publish(subject, 'probe');
    bus.nc.subscribe(subject, { callback: (error) => void (error && refused.subscribe.add(subject)) });
  }
  await bus.nc.flush();
  // The driver reports refusals after the flush.
  await eventually(() => refused.subscribe.size > 0 && refused.publish.size > 0);
  await bus.nc.flush();
  return {
    publish: PROBES.filter((subject) => !refused.publish.has(subject)),
    subscribe: PROBES.filter((subject) => !refused.subscribe.has(subject)),
  };
}

const sort = (list: readonly string[]) => list.toSorted();

describe('the permissions of each role, tried on a server', () => {
  test.each(Object.keys(EXPECTED))('%s publishes and subscribes to its own subjects, and to no other', async (name) => {
    const allowed = await tryAll(name);
    expect(sort(allowed.publish)).toEqual(sort(EXPECTED[name]?.publish ?? []));
    expect(sort(allowed.subscribe)).toEqual(sort(EXPECTED[name]?.subscribe ?? []));
  });

  test('There is an expectation for each role', () => {
    expect(sort(Object.keys(EXPECTED))).toEqual(sort([...ROLES.map(({ name }) => name), 'alice', 'no-verbs']));
  });
});

test.each(['>', 'mr.v1.>', 'mr.v1.stage.>', '_INBOX.>', '*.*.*.*', '$SRV.>', 'mr.v1.chunks.>'])(
  'An end client cannot subscribe to the pattern %s',
  async (pattern) => {
    const bus = await orchestrator.connect({ name: 'tried', nkeySeed: seedBy('alice') });
    opened.push(bus);
    const refused = Promise.withResolvers<string>();
    bus.nc.subscribe(pattern, { callback: (error) => void (error && refused.resolve(String(error))) });
    expect(await refused.promise).toContain('Permissions Violation');
  },
);

test('A developer that subscribes to every stage receives no request to a shipped service', async () => {
  const heard: string[] = [];
  const developer = await orchestrator.connect({ name: 'mine', nkeySeed: seedBy('developer') });
  opened.push(developer);
  developer.nc.subscribe('mr.v1.stage.*.*.>', { callback: (_error, message) => void heard.push(message.subject) });
  await developer.nc.flush();
  const asked = ['guardrails', 'mine'].map((service) => subjects.stage('processInput', { service, processor: 'pii' }));
  for (const subject of asked) orchestrator.bus.nc.publish(subject, 'x');
  await eventually(() => heard.length > 0);
  await orchestrator.bus.nc.flush();
  expect(heard).toEqual(['mr.v1.stage.processInput.mine.pii']);
});
