// Rules for the expectations in the cases file.
import { fail, formatShortJson } from '../rule-error.ts';
import { judge } from '../judge.ts';
import { buildConversation } from '../plain-turn.ts';
import { needsStream, type CheckRule } from '../rule.ts';
import { cutAtRandom, streamAll } from '../stream-text.ts';
import type { JsonValue } from '@millrace/contracts';

const CUTS = 12;

export const caseRules: CheckRule[] = [
  {
    id: 'exchanges',
    promise: 'answers the golden exchanges of its cases',
    page: 'verdicts',
    skipReason: ({ cases }) => (cases.exchanges.length > 0 ? undefined : 'no --cases with exchanges'),
    async run(target) {
      for (const { name, stage, says, input, verdict, ...given } of target.cases.exchanges) {
        const conversation = says === undefined ? undefined : { conversation: buildConversation('input', says) };
        const { verdicts, seen } = await judge(target, stage, {
          ...given,
          ...((input ?? conversation) && { input: input ?? conversation }),
        });
        const difference = findDifference(verdict, verdicts[0]);
        if (difference !== undefined) fail(`"${name}": ${difference}`, seen);
      }
    },
  },
  {
    id: 'redactions',
    promise: 'hides the strings that its cases name, however the text is cut',
    page: 'session',
    skipReason: (target) => (target.cases.redactions.length > 0 ? needsStream(target) : 'no --cases with redactions'),
    async run(target) {
      const { random, cases } = target;
      for (const { options, text, hides, becomes } of cases.redactions) {
        const cuts = [[text], text.split(''), ...Array.from({ length: CUTS }, () => cutAtRandom(text, random))];
        for (const cut of cuts) {
          const outcome = await streamAll(target, { options, same: true }, cut, random);
          const shown = hides.find((hidden) => outcome.shown.some((text) => text.includes(hidden)));
          if (shown !== undefined)
            fail(`"${shown}" was sent for a text cut into ${cut.length} pieces (seed ${random.seed})`, {
              outcome: { verdict: outcome.verdict, text: outcome.text },
              cut,
            });
          if (becomes !== undefined && outcome.verdict === 'continue' && outcome.text !== becomes)
            fail(`cut into ${cut.length} pieces (seed ${random.seed}) the text became another one`, {
              outcome: { verdict: outcome.verdict, text: outcome.text },
              cut,
            });
        }
      }
    },
  },
];

// Compares a value with an expectation; members of objects that the expectation omits are ignored.
/** Returns the difference in words; undefined if the value matches. */
export function findDifference(expected: JsonValue, value: unknown, path = 'the verdict'): string | undefined {
  if (typeof expected !== 'object' || expected === null)
    return expected === value ? undefined : `${path} is ${formatShortJson(value)}, not ${formatShortJson(expected)}`;
  if (typeof value !== 'object' || value === null)
    return `${path} is ${formatShortJson(value)}, not ${formatShortJson(expected)}`;
  if (Array.isArray(expected) && (!Array.isArray(value) || value.length !== expected.length))
    return `${path} is ${formatShortJson(value)}, not ${formatShortJson(expected)}`;
  for (const [key, member] of Object.entries(expected)) {
    const difference = findDifference(
      member,
      Object.hasOwn(value, key) ? Reflect.get(value, key) : undefined,
      `${path}.${key}`,
    );
    if (difference !== undefined) return difference;
  }
  return undefined;
}
