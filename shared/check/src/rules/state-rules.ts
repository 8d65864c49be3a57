// Rules for an entry's state: JSON, returned with the next call, separate for each run.
import { isDeepStrictEqual } from 'node:util';
import { fail } from '../rule-error.ts';
import { judge, judgeOrError } from '../judge.ts';
import { forEachCalled, needsCalls, type CheckRule, removeTimes } from '../rule.ts';
import { checkAlive } from '../check-liveness.ts';
import { createLoneRun } from '../target.ts';

export const stateRules: CheckRule[] = [
  {
    id: 'state-returned',
    promise: 'takes the state back that it gave',
    page: 'verdicts',
    skipReason: needsCalls,
    run: (target) =>
      forEachCalled(target, async (stage, options) => {
        const run = createLoneRun();
        const { verdicts } = await judge(target, stage, { options, run });
        const [first] = verdicts;
        const state = first && 'state' in first ? first.state : undefined;
        if (state) await judge(target, stage, { options, run, state });
      }),
  },
  {
    id: 'state-apart',
    promise: 'keeps the state of one run from another',
    page: 'verdicts',
    skipReason: (target) =>
      target.cases.repeatable ? needsCalls(target) : 'its cases declare that it is not repeatable',
    run: (target) =>
      forEachCalled(target, async (stage, options) => {
        const readState = async () => {
          const { verdicts } = await judge(target, stage, { options });
          return verdicts.map((verdict) => ('state' in verdict ? verdict.state : undefined));
        };
        const [one, other] = [await readState(), await readState()];
        if (!isDeepStrictEqual(removeTimes(one), removeTimes(other)))
          fail(`${stage}: a new run starts with the state of another one`, { one, other });
      }),
  },
  {
    id: 'state-foreign',
    promise: 'survives a state that it did not give',
    page: 'verdicts',
    skipReason: needsCalls,
    run: (target) =>
      forEachCalled(target, async (stage, options) => {
        for (const state of [{ ofALaterVersion: [1, { a: null }] }, { held: 7, seen: 'x', count: {} }])
          await judgeOrError(target, stage, { options, state }).catch(() => undefined);
        await checkAlive(target, 'a state that it did not give');
      }),
  },
];
