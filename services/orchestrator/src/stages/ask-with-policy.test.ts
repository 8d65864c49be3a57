// Policy by itself: who is asked, in which order, how often, whatever for.
import { failureOf, type PlanEntry } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createRunActivity } from '../state/run-activity.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { askWithPolicy, type Ask, type Asked, type PolicyContext, type PolicyOptions } from './ask-with-policy.ts';

let asked: string[] = [];
let logged: string[] = [];
let ended: string[] = [];
let states: string[] = [];
const activity = createRunActivity({ ended: ({ names, attempt }) => void ended.push(`${names.join('+')} ${attempt}`) });
beforeEach(() => {
  asked = [];
  logged = [];
  ended = [];
  states = [];
});
afterEach(() => void vi.useRealTimers());

type Script = (names: string, replica: string | undefined) => Asked<string>;
type Options = Partial<PolicyOptions> & { together?: boolean; replicas?: (string | undefined)[]; signal?: AbortSignal };

async function outcomes(entries: PlanEntry[], script: Script, options: Options = {}): Promise<string[]> {
  const { together = true, replicas = [], signal = new AbortController().signal } = options;
  const discovery = {
    together: () => together,
    replicaThatAnswers: async () => replicas.shift(),
    refresh: async () => undefined,
    lookLonger: async () => undefined,
    preferred: () => undefined,
  };
  const context: PolicyContext = {
    signal,
    activity,
    deps: { discovery, log: { warn: (_fields, message) => void logged.push(message) } },
  };
  const ask: Ask<string> = async (group, { replica }) => {
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
const all = (names: string): Asked<string> => ({ answer: 'ok', served: names.split('+').length, replica: 'r1' });
const fails = (more: Partial<Asked<string>> = {}): Asked<string> => ({
  served: 0,
  failure: { verdict: failureOf('processor-failed', 'broken'), of: 'member' },
  replica: 'r1',
  ...more,
});
const unanswered = (of: 'member' | 'group' = 'group'): Asked<string> => ({
  served: 0,
  failure: { verdict: failureOf('processor-timeout', 'too slow'), of },
  unanswered: true,
});
const nobody: Asked<string> = {
  served: 0,
  failure: { verdict: failureOf('processor-not-there', 'nobody'), of: 'member' },
  nobodyThere: true,
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

  test('that nobody answers are asked for one by one, and those after them together again', async () => {
    const [a, b, c, d] = entries('a', 'b', 'c', 'd');
    if (!a || !b || !c || !d) throw new Error('four entries');
    const script: Script = (names) => (names === 'a+b+c+d' ? unanswered() : all(names));
    expect(await outcomes([a, b, c, d], script)).toHaveLength(4);
    expect(asked).toEqual(['a+b+c+d', 'a', 'b', 'c', 'd']);
  });

  test('of which one failed keep what was answered before it; it has had one attempt, and those after it are asked again', async () => {
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

  test('whose failure would be the same anywhere is not tried again', async () => {
    const failure = { verdict: failureOf('options-invalid', 'no'), of: 'member' as const };
    expect(await outcomes(entries('a'), () => fails({ failure }), { replicas: ['r2'] })).toEqual([
      'a: options-invalid 1',
    ]);
  });

  test('that answered with a failure, and has no other replica, is not waited for', async () => {
    expect(await outcomes([planEntry('a', { timeoutMs: 60_000 })], () => fails())).toEqual(['a: processor-failed 1']);
  });

  test('whose replica is gone is tried again on the one that comes up within its time', async () => {
    const script: Script = (names, replica) => (replica === undefined ? unanswered('member') : all(names));
    const later = [planEntry('a', { timeoutMs: 10_000 })];
    expect(await outcomes(later, script, { replicas: [undefined, undefined, 'r9'] })).toEqual(['a: ok 2']);
    expect(asked).toEqual(['a', 'a@r9']);
  });

  test('whose second attempt reaches nobody says how the first one went', async () => {
    const script: Script = (_names, replica) => (replica === undefined ? fails() : nobody);
    const context = {
      signal: new AbortController().signal,
      activity,
      deps: { discovery: discoveryOf('r2'), log: { warn: () => undefined } },
    };
    const ask: Ask<string> = async (group, { replica }) => script(group[0]?.entry ?? '', replica);
    const [one] = await Array.fromAsync(askWithPolicy(context, entries('a'), ask, { stage: 'processInput' }));
    expect(one).toMatchObject({
      attempts: 2,
      failure: { code: 'processor-not-there', message: expect.stringContaining('processor-failed: broken') },
    });
  });
});

describe('a request that nobody has taken up', () => {
  const busy = (replica: string): Asked<string> => ({
    ...fails({ failure: { verdict: failureOf('replica-busy', 'full'), of: 'member' } }),
    notTaken: 'elsewhere',
    replica,
  });

  test('because the replica is full goes elsewhere at once, and has cost no attempt', async () => {
    const script: Script = (names, replica) => (replica === undefined ? busy('r1') : all(names));
    const one = [planEntry('a', { attempts: 1 })];
    expect(await outcomes(one, script, { replicas: ['r2'] })).toEqual(['a: ok 1']);
    expect(asked).toEqual(['a', 'a@r2']);
  });

  test('because all replicas are full waits, and the entry’s time is not used up by that', async () => {
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

  test('because the bus was away is asked again, in one piece', async () => {
    let cut = 1;
    const script: Script = (names) => (cut-- > 0 ? { ...unanswered(), notTaken: 'again' } : all(names));
    expect(await outcomes(entries('a', 'b'), script)).toEqual(['a+b: ok 1']);
    expect(asked).toEqual(['a+b', 'a+b']);
  });

  test('because the bus was away for a minute is asked again all the same, and then waits for its service', async () => {
    vi.useFakeTimers({ toFake: ['performance'] });
    const answers: Asked<string>[] = [{ ...unanswered(), notTaken: 'again' }, nobody, nobody];
    const script: Script = (names) => {
      const answer = answers.shift();
      if (answer?.notTaken) vi.advanceTimersByTime(60_000);
      return answer ?? all(names);
    };
    expect(await outcomes(entries('a'), script)).toEqual(['a: ok 1']);
    expect(asked).toHaveLength(4);
  });
});

describe('a service that is away', () => {
  test('is asked again until it is there', async () => {
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

  test('is given up after the time that the caller of the policy allows, though its entry has more', async () => {
    const entry = planEntry('a', { timeoutMs: 60_000 });
    expect(await outcomes([entry], () => nobody, { absentMs: () => 150 })).toEqual(['a: processor-not-there 1']);
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
      deps: { discovery: discoveryOf('r2'), log: { warn: () => undefined } },
    };
    const ask: Ask<string> = async (group) => all(group.map(({ entry }) => entry).join('+'));
    const reading = askWithPolicy(context, entries('a', 'b'), ask, { stage: 'processInput' });
    await reading.next();
    await reading.return();
    expect(activity.list()).toEqual([]);
  });
});

test('no processor is asked once the run is stopped', async () => {
  expect(await outcomes(entries('a'), all, { signal: AbortSignal.abort() })).toEqual([]);
  expect(asked).toEqual([]);
});

const discoveryOf = (replica: string) => ({
  together: () => true,
  replicaThatAnswers: async () => replica,
  preferred: () => undefined,
  refresh: async () => undefined,
  lookLonger: async () => undefined,
});
