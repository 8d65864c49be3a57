// The policy of a request: which replica is asked, in which order and how often.
import { createFailure, type PlanEntry } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRunActivity } from '../state/run-activity.ts';
import { planEntry } from '../testing/plan-entries.ts';
import {
  askWithPolicy,
  type AskTarget,
  type CallAnswer,
  type PolicyContext,
  type PolicyOptions,
} from './ask-with-policy.ts';

let asked: string[] = [];
let logged: string[] = [];
let ended: string[] = [];
let states: string[] = [];
const activity = createRunActivity({
  onEnded: ({ names, attempt }) => void ended.push(`${names.join('+')} ${attempt}`),
});
beforeEach(() => {
  asked = [];
  logged = [];
  ended = [];
  states = [];
});
afterEach(() => void vi.useRealTimers());

type Script = (names: string, replica: string | undefined) => CallAnswer<string>;
type Options = Partial<PolicyOptions> & {
  minAbsentMs?: number;
  together?: boolean;
  replicas?: (string | undefined)[];
  signal?: AbortSignal;
};

async function outcomes(entries: PlanEntry[], script: Script, options: Options = {}): Promise<string[]> {
  const { minAbsentMs = 0, together = true, replicas = [], signal = new AbortController().signal } = options;
  const discovery = {
    isServedTogether: () => together,
    findAnsweringReplica: async () => replicas.shift(),
    refresh: async () => undefined,
    refreshLonger: async () => undefined,
    preferReplica: () => undefined,
  };
  const context: PolicyContext = {
    signal,
    activity,
    readMinAbsentMs: () => minAbsentMs,
    deps: { discovery, log: { warn: (_fields, message) => void logged.push(message) } },
  };
  const ask: AskTarget<string> = async (group, { replica }) => {
    const names = group.map(({ entry }) => entry).join('+');
    asked.push(replica === undefined ? names : `${names}@${replica}`);
    states.push(...activity.list().map(({ state }) => state));
    return script(names, replica);
  };
  const shown: string[] = [];
  for await (const one of askWithPolicy(context, entries, ask, { stage: 'processInput', ...options })) {
    if ('failure' in one) shown.push(`${one.entry.entry}: ${one.failure.code} ${one.attempts}`);
    else shown.push(`${one.entries.map(({ entry }) => entry).join('+')}: ${one.answer} ${one.attempts}`);
  }
  return shown;
}
const entries = (...names: string[]) => names.map((name) => planEntry(name, { timeoutMs: 150 }));
const all = (names: string): CallAnswer<string> => ({ answer: 'ok', served: names.split('+').length, replica: 'r1' });
const fails = (more: Partial<CallAnswer<string>> = {}): CallAnswer<string> => ({
  served: 0,
  failure: { verdict: createFailure('processor-failed', 'broken'), of: 'member' },
  replica: 'r1',
  ...more,
});
const makeUnanswered = (of: 'member' | 'group' = 'group'): CallAnswer<string> => ({
  served: 0,
  failure: { verdict: createFailure('processor-timeout', 'too slow'), of },
  unanswered: true,
});
const nobody: CallAnswer<string> = {
  served: 0,
  failure: { verdict: createFailure('processor-not-there', 'nobody'), of: 'member' },
  hasNoReplica: true,
  unanswered: true,
};

describe('adjacent entries', () => {
  test('of one service are one request; those of several are one after the other', async () => {
    expect(await outcomes(entries('a', 'b'), all)).toEqual(['a+b: ok 1']);
    expect(await outcomes(entries('a', 'b'), all, { together: false })).toEqual(['a: ok 1', 'b: ok 1']);
    expect(asked).toEqual(['a+b', 'a', 'b']);
  });

  test('that a replica serves only in part are asked for again from the first that it left out', async () => {
    const served = await outcomes(entries('a', 'b', 'c'), () => ({ answer: 'ok', served: 1 }));
    expect(served).toEqual(['a: ok 1', 'b: ok 1', 'c: ok 1']);
    expect(asked).toEqual(['a+b+c', 'b+c', 'c']);
  });

  test('without an answer are asked one by one, and those after them together again', async () => {
    const [a, b, c, d] = entries('a', 'b', 'c', 'd');
    if (!a || !b || !c || !d) throw new Error('four entries');
    const script: Script = (names) => (names === 'a+b+c+d' ? makeUnanswered() : all(names));
    expect(await outcomes([a, b, c, d], script)).toHaveLength(4);
    expect(asked).toEqual(['a+b+c+d', 'a', 'b', 'c', 'd']);
  });

  test('of which one fails keep the answers before it; the failing one has used one attempt, and those after it are asked again', async () => {
    const script: Script = (names) => (names === 'a+b+c' ? { ...fails(), answer: 'ok', served: 1 } : all(names));
    const shown = await outcomes(entries('a', 'b', 'c'), script, { replicas: ['r2'] });
    expect(shown).toEqual(['a: ok 1', 'b: ok 2', 'c: ok 1']);
    expect(asked).toEqual(['a+b+c', 'b@r2', 'c']);
  });
});

describe('an entry that is asked', () => {
  test('that failed is tried again on another replica while its attempts last', async () => {
    const shown = await outcomes([planEntry('a', { attempts: 3 })], () => fails(), { replicas: ['r2', 'r3', 'r4'] });
    expect(shown).toEqual(['a: processor-failed 3']);
    expect(asked).toEqual(['a', 'a@r2', 'a@r3']);
  });

  test('with a failure that is the same on every replica is not retried', async () => {
    const failure = { verdict: createFailure('options-invalid', 'no'), of: 'member' as const };
    expect(await outcomes(entries('a'), () => fails({ failure }), { replicas: ['r2'] })).toEqual([
      'a: options-invalid 1',
    ]);
  });

  test('that answered with a failure, and has no other replica, is not waited for', async () => {
    expect(await outcomes([planEntry('a', { timeoutMs: 60_000 })], () => fails())).toEqual(['a: processor-failed 1']);
  });

  test('with a lost replica is retried on one that starts within its time', async () => {
    const script: Script = (names, replica) => (replica === undefined ? makeUnanswered('member') : all(names));
    const later = [planEntry('a', { timeoutMs: 10_000 })];
    expect(await outcomes(later, script, { replicas: [undefined, undefined, 'r9'] })).toEqual(['a: ok 2']);
    expect(asked).toEqual(['a', 'a@r9']);
  });

  test('with a second attempt that no replica receives reports how the first one failed', async () => {
    const script: Script = (_names, replica) => (replica === undefined ? fails() : nobody);
    const context = {
      signal: new AbortController().signal,
      activity,
      readMinAbsentMs: () => 0,
      deps: { discovery: makeDiscovery('r2'), log: { warn: () => undefined } },
    };
    const ask: AskTarget<string> = async (group, { replica }) => script(group[0]?.entry ?? '', replica);
    const [one] = await Array.fromAsync(askWithPolicy(context, entries('a'), ask, { stage: 'processInput' }));
    expect(one).toMatchObject({
      attempts: 2,
      failure: { code: 'processor-not-there', message: expect.stringContaining('processor-failed: broken') },
    });
  });
});

describe('a request that no replica accepted', () => {
  const busy = (replica: string): CallAnswer<string> => ({
    ...fails({ failure: { verdict: createFailure('replica-busy', 'full'), of: 'member' } }),
    notTaken: 'elsewhere',
    replica,
  });

  test('because its replica is full is sent to another one at once, without using an attempt', async () => {
    const script: Script = (names, replica) => (replica === undefined ? busy('r1') : all(names));
    const one = [planEntry('a', { attempts: 1 })];
    expect(await outcomes(one, script, { replicas: ['r2'] })).toEqual(['a: ok 1']);
    expect(asked).toEqual(['a', 'a@r2']);
  });

  test('because all replicas are full waits without using up the entry’s time', async () => {
    let full = 4;
    const script: Script = (names) => (full-- > 0 ? busy('r1') : all(names));
    const started = performance.now();
    const shown = await outcomes(entries('a'), script, { replicas: ['r1', 'r1', 'r1', 'r1'] });
    expect(shown).toEqual(['a: ok 1']);
    // Longer than its time of 150 ms.
    expect(performance.now() - started).toBeGreaterThan(250);
  });

  test('is not asked again when the run is stopped', async () => {
    const stop = new AbortController();
    const script: Script = () => (stop.abort(), busy('r1'));
    expect(await outcomes(entries('a'), script, { signal: stop.signal })).toEqual(['a: replica-busy 1']);
    expect(asked).toEqual(['a']);
  });

  test('because the bus was unavailable is sent again as a whole', async () => {
    let cut = 1;
    const script: Script = (names) => (cut-- > 0 ? { ...makeUnanswered(), notTaken: 'again' } : all(names));
    expect(await outcomes(entries('a', 'b'), script)).toEqual(['a+b: ok 1']);
    expect(asked).toEqual(['a+b', 'a+b']);
  });

  test('because the bus was unavailable for a minute is sent again, and then waits for its service', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const answers: CallAnswer<string>[] = [{ ...makeUnanswered(), notTaken: 'again' }, nobody, nobody];
    const script: Script = (names) => {
      const answer = answers.shift();
      if (answer?.notTaken) vi.advanceTimersByTime(60_000);
      return answer ?? all(names);
    };
    expect(await outcomes(entries('a'), script)).toEqual(['a: ok 1']);
    expect(asked).toHaveLength(4);
  });
});

describe('an absent service', () => {
  test('is asked again until a replica runs', async () => {
    let tries = 0;
    const script: Script = (names) => (++tries < 4 ? nobody : all(names));
    expect(await outcomes([planEntry('a', { timeoutMs: 10_000 })], script)).toEqual(['a: ok 1']);
    expect(asked).toHaveLength(4);
  });

  test('is waited for once: its other entries do not wait again', async () => {
    const shown = await outcomes(entries('a', 'b', 'c'), () => nobody, { together: false });
    expect(shown).toEqual(['a', 'b', 'c'].map((name) => `${name}: processor-not-there 1`));
    expect(asked.filter((name) => name !== 'a')).toEqual(['b', 'c']);
    expect(asked.filter((name) => name === 'a').length).toBeGreaterThan(1);
  });

  test('is not waited for when the run is stopped', async () => {
    const stop = new AbortController();
    const script: Script = () => (stop.abort(), nobody);
    expect(await outcomes([planEntry('a', { timeoutMs: 60_000 })], script, { signal: stop.signal })).toHaveLength(1);
    expect(asked).toEqual(['a']);
  });

  test('is logged once, however often it is asked again', async () => {
    let tries = 0;
    const script: Script = (names) => (++tries > 4 ? all(names) : nobody);
    expect(await outcomes([planEntry('a', { timeoutMs: 10_000 })], script)).toEqual(['a: ok 1']);
    expect(asked).toHaveLength(5);
    expect(logged).toEqual(['no replica of the service is running, waiting for one']);
  });

  test('is waited for longer than the time of its entry while the services of the run may still start', async () => {
    let tries = 0;
    const script: Script = (names) => (++tries > 4 ? all(names) : nobody);
    const entry = planEntry('a', { timeoutMs: 150 });
    expect(await outcomes([entry], script, { minAbsentMs: 10_000 })).toEqual(['a: ok 1']);
  });

  test('is abandoned after the time that the caller of the policy allows, although its entry has more', async () => {
    const entry = planEntry('a', { timeoutMs: 60_000 });
    expect(await outcomes([entry], () => nobody, { readAbsentMs: () => 150 })).toEqual(['a: processor-not-there 1']);
  });
});

describe('the calls that a run has under way', () => {
  test('include a request until its answer, with the number of its last attempt', async () => {
    await outcomes(
      [planEntry('a', { attempts: 3 }), planEntry('b')],
      (names) => (names === 'a' ? fails() : all(names)),
      {
        together: false,
        replicas: ['r2', 'r3'],
      },
    );
    expect(ended).toEqual(['a 3', 'b 1']);
    expect(activity.list()).toEqual([]);
  });

  test('show that no replica is running while a request waits for one', async () => {
    let tries = 0;
    const script: Script = (names) => (++tries > 2 ? all(names) : nobody);
    await outcomes([planEntry('a', { timeoutMs: 10_000 })], script);
    expect(states).toEqual(['asked', 'absent', 'absent']);
  });

  test('end if the caller stops reading the outcomes', async () => {
    const context = {
      signal: new AbortController().signal,
      activity,
      readMinAbsentMs: () => 0,
      deps: { discovery: makeDiscovery('r2'), log: { warn: () => undefined } },
    };
    const ask: AskTarget<string> = async (group) => all(group.map(({ entry }) => entry).join('+'));
    const reading = askWithPolicy(context, entries('a', 'b'), ask, { stage: 'processInput' });
    await reading.next();
    await reading.return();
    expect(activity.list()).toEqual([]);
  });
});

test('no processor is called once the run is stopped', async () => {
  expect(await outcomes(entries('a'), all, { signal: AbortSignal.abort() })).toEqual([]);
  expect(asked).toEqual([]);
});

const makeDiscovery = (replica: string) => ({
  isServedTogether: () => true,
  findAnsweringReplica: async () => replica,
  preferReplica: () => undefined,
  refresh: async () => undefined,
  refreshLonger: async () => undefined,
});
