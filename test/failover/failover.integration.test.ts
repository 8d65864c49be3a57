// Each fault of a provider through each protocol of callers: an agent with two candidates, of which the first one has the fault.
// `npm run -s failover` runs all of them with the default time limits, and prints a table.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listGatewayUrls } from '../e2e/gateways.ts';
import { askDoor, DOORS, type Door, type DoorAnswer } from './doors.ts';
import { completeText, startFaultProvider, WORDS, type FaultProvider } from './fault-provider.ts';
import { FAULTS, type FaultCase } from './faults.ts';

const isWhole = process.env['MILLRACE_FAILOVER'] === '1';
const LIMIT_MS = 1_000;
const QUIET_MS = isWhole ? 40_000 : 3 * LIMIT_MS;
/** Releases of the agent: `step` and `result` buffer the text of a step. */
const RELEASES = ['chunk', 'step'] as const;
type Release = (typeof RELEASES)[number];
type Result = 'pass' | 'safe' | 'FAIL';

/** Protocols that cannot withdraw text that they have sent. */
const APPENDS: ReadonlySet<Door> = new Set(['chat completions']);

const nats = useNats();
const redis = useRedis();
let folder = '';
const stack = useStack(nats, ['auth']);
let first: FaultProvider;
let second: FaultProvider;
const target = { url: '', key: '' };
const results = new Map<string, Result>();
/** Time of the end of an outage, by model, ms. */
const outages = new Map<string, number>();

const name = (at: number, door: Door, release: Release) => `f${at}-${DOORS.indexOf(door)}-${release}`;

beforeAll(async () => {
  const findCase = (model: string): FaultCase | undefined => FAULTS[Number(/^f(\d+)/.exec(model)?.[1])];
  first = await startFaultProvider(
    'first',
    (model) =>
      performance.now() < (outages.get(model) ?? 0)
        ? (call) => call.fail(503, { error: { message: 'overloaded' } })
        : findCase(model)?.fault,
    QUIET_MS,
  );
  second = await startFaultProvider(
    'second',
    (model, lastRole) =>
      findCase(model)?.refusesPrefill && lastRole === 'assistant'
        ? (call) => call.fail(400, { error: { message: 'This model does not support prefill.' } })
        : undefined,
    QUIET_MS,
  );
  folder = await mkdtemp(join(tmpdir(), 'failover-'));
  const file = join(folder, 'providers.json');
  const make = ({ baseUrl }: FaultProvider) => ({ kind: 'openai-compatible', baseUrl });
  await writeFile(file, JSON.stringify({ providers: { first: make(first), second: make(second) } }));
  await stack.start('orchestrator', { PROVIDERS: file });
  await stack.start('gateway', { GATEWAY_PORT: '0', REDIS_URL: redis.urlAs('gateway') });
  target.url = (await listGatewayUrls(stack)).at(-1) ?? '';
  target.key = (await stack.client.keys.create({ scopes: ['run', 'read'], subject: 'ada' })).key;
}, 120_000);
afterAll(async () => {
  await Promise.all([first?.close(), second?.close(), rm(folder, { recursive: true, force: true })]);
  if (isWhole) printTable();
});

async function ask(at: number, door: Door, release: Release): Promise<DoorAnswer> {
  const model = name(at, door, release);
  const limits = isWhole ? {} : { firstTokenMs: LIMIT_MS, idleMs: LIMIT_MS };
  const candidates = [{ use: `first/${model}`, ...limits }, `second/${model}`];
  await stack.client.agents.apply({ name: model, model: candidates, instructions: 'Answer.', release });
  return askDoor(door, stack, target, model);
}

/** Returns when the first provider has answered again after its outage, ms, and the number of requests during the outage. */
async function measureOutage(outageMs: number, everyMs: number, runs: number) {
  const model = 'outage';
  const began = performance.now();
  outages.set(model, began + outageMs);
  await stack.client.agents.apply({
    name: model,
    model: [`first/${model}`, `second/${model}`],
    instructions: 'Answer.',
  });
  const answers = await Promise.all(
    Array.from({ length: runs }, async (_, at) => {
      await delay(at * everyMs);
      const answer = await askDoor('NATS', stack, target, model);
      return { ...answer, at: performance.now() - began };
    }),
  );
  const back = answers.find(({ at, text }) => at > outageMs && text === completeText('first', model));
  const requests = first.listRequests(model).filter((time) => time < began + outageMs);
  return {
    served: answers.filter(({ text }) => findAnswerer(model, text) !== undefined).length,
    requests: requests.length,
    backMs: (back?.at ?? Infinity) - outageMs,
  };
}

/** Returns the provider that has the complete text. */
const findAnswerer = (model: string, text: string) =>
  (['first', 'second'] as const).find((provider) => text === completeText(provider, model));

/** A text is complete, or an error ends it: everything else is a failure. */
function judge({ answer, reason }: FaultCase, model: string, given: DoorAnswer): Result {
  const { text, error, model: named, outputTokens = WORDS } = given;
  if (error !== undefined) return answer === 'none' && reason?.test(error) ? 'pass' : 'safe';
  const provider = findAnswerer(model, text);
  if (provider === undefined || (named !== undefined && !named.startsWith(`${provider}/`))) return 'FAIL';
  return (answer === 'either' || provider === answer) && outputTokens >= WORDS ? 'pass' : 'FAIL';
}

/** Checks the requests to the model with the fault. Each bound of a time holds on a slow machine too. */
function listConductProblems({ maxRequests, inTime, minPauseMs = 0 }: FaultCase, times: readonly number[]): string[] {
  const [begun = 0, next = Infinity] = times;
  const early = times.filter((time) => time - begun < (inTime?.ms ?? 0)).length;
  return [
    ...(times.length > maxRequests ? [`${times.length} requests`] : []),
    ...(inTime && early > inTime.requests ? [`${early} requests in ${inTime.ms} ms`] : []),
    ...(next - begun < minPauseMs ? [`a pause of ${next - begun} ms`] : []),
  ];
}

describe.each(RELEASES)('with the release %s', (release) => {
  // Only chat completions have another result with another release.
  describe.each(isWhole || release === 'chunk' ? DOORS : [...APPENDS])('over %s', (door) => {
    test.concurrent.each(FAULTS.map((fault, at) => [fault.name, at] as const))(
      '%s: the answer is complete, or the client knows that it is not',
      async (title, at) => {
        const fault = FAULTS[at];
        if (!fault) throw new Error('no such fault');
        const model = name(at, door, release);
        const answer = await ask(at, door, release);
        const result = judge(fault, model, answer);
        results.set(`${title}\t${door}\t${release}`, result);
        // The same model repeats the shown words, and the client receives the rest; another model has other words.
        const isLate = release === 'chunk' && fault.isShown === true && fault.answer === 'second' && APPENDS.has(door);
        const expected = isLate ? 'safe' : 'pass';
        expect({ result, answer }).toEqual({ result: expected, answer });
        expect(listConductProblems(fault, first.listRequests(model))).toEqual([]);
      },
      isWhole ? 200_000 : 60_000,
    );
  });
});

test.runIf(isWhole)(
  'An outage of 60 s: two orchestrators serve each of 20 runs, ask the dead model at most 8 times, and return to it',
  async () => {
    await stack.start('orchestrator', { PROVIDERS: join(folder, 'providers.json') });
    const measured = await measureOutage(60_000, 4_000, 24);
    process.stdout.write(`outage of 60 s: ${JSON.stringify(measured)}\n`);
    expect(measured.served).toBe(24);
    expect(measured.requests).toBeLessThanOrEqual(8);
    expect(measured.backMs).toBeLessThan(30_000);
  },
  200_000,
);

function printTable(): void {
  const columns = RELEASES.flatMap((release) => DOORS.map((door) => ({ door, release })));
  const lines = [
    `| fault | ${columns.map(({ door, release }) => `${door}, ${release}`).join(' | ')} |`,
    `|---|${columns.map(() => '---|').join('')}`,
    ...FAULTS.map(
      ({ name: title }) =>
        `| ${title} | ${columns.map(({ door, release }) => results.get(`${title}\t${door}\t${release}`) ?? '').join(' | ')} |`,
    ),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}
