// An entry's state: JSON, given back, of one run alone.
import { isDeepStrictEqual } from 'node:util';
import { broken } from '../broken.ts';
import { judge, judgeOrError } from '../judge.ts';
import { eachCalled, needsCalls, type Rule } from '../rule.ts';
import { holdAlive } from '../still-alive.ts';
import { aloneRun } from '../target.ts';
import { timeless } from '../timeless.ts';

export const stateRules: Rule[] = [
  {
    id: 'state-returned',
    promise: 'takes the state back that it gave',
    page: 'verdicts',
    skipped: needsCalls,
    run: (target) =>
      eachCalled(target, async (stage, options) => {
        const run = aloneRun();
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
    skipped: (target) => (target.cases.repeatable ? needsCalls(target) : 'its cases say that it is not repeatable'),
    run: (target) =>
      eachCalled(target, async (stage, options) => {
        const stateOf = async () => {
          const { verdicts } = await judge(target, stage, { options });
          return verdicts.map((verdict) => ('state' in verdict ? verdict.state : undefined));
        };
        const [one, other] = [await stateOf(), await stateOf()];
        if (!isDeepStrictEqual(timeless(one), timeless(other)))
          broken(`${stage}: a new run begins with what another one left`, { one, other });
      }),
  },
  {
    id: 'state-foreign',
    promise: 'survives a state that it did not give',
    page: 'verdicts',
    skipped: needsCalls,
    run: (target) =>
      eachCalled(target, async (stage, options) => {
        for (const state of [{ ofALaterVersion: [1, { a: null }] }, { held: 7, seen: 'x', count: {} }])
          await judgeOrError(target, stage, { options, state }).catch(() => undefined);
        await holdAlive(target, 'a state that it did not give');
      }),
  },
];
