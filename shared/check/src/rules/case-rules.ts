// What the author says of the processor in the cases file.
import { broken } from '../broken.ts';
import { judge } from '../judge.ts';
import { conversationOfText } from '../plain-turn.ts';
import { needsStream, type Rule } from '../rule.ts';
import { randomCut, streamAll } from '../stream-text.ts';
import { unlike } from '../unlike.ts';

const CUTS = 12;

export const caseRules: Rule[] = [
  {
    id: 'exchanges',
    promise: 'answers the golden exchanges of its cases',
    page: 'verdicts',
    skipped: ({ cases }) => (cases.exchanges.length > 0 ? undefined : 'no --cases with exchanges'),
    async run(target) {
      for (const { name, stage, says, input, verdict, ...given } of target.cases.exchanges) {
        const said = says === undefined ? undefined : { conversation: conversationOfText('input', says) };
        const { verdicts, seen } = await judge(target, stage, {
          ...given,
          ...((input ?? said) && { input: input ?? said }),
        });
        const difference = unlike(verdict, verdicts[0]);
        if (difference !== undefined) broken(`"${name}": ${difference}`, seen);
      }
    },
  },
  {
    id: 'redactions',
    promise: 'lets nothing through that its cases hide, however the text is cut',
    page: 'session',
    skipped: (target) => (target.cases.redactions.length > 0 ? needsStream(target) : 'no --cases with redactions'),
    async run(target) {
      const { random, cases } = target;
      for (const { options, text, hides, becomes } of cases.redactions) {
        const cuts = [[text], text.split(''), ...Array.from({ length: CUTS }, () => randomCut(text, random))];
        for (const cut of cuts) {
          const outcome = await streamAll(target, { options, same: true }, cut, random);
          const shown = hides.find((hidden) => outcome.shown.some((text) => text.includes(hidden)));
          if (shown !== undefined)
            broken(`"${shown}" came out of a text cut into ${cut.length} pieces (seed ${random.seed})`, {
              cut,
              outcome: { verdict: outcome.verdict, text: outcome.text },
            });
          if (becomes !== undefined && outcome.verdict === 'continue' && outcome.text !== becomes)
            broken(`cut into ${cut.length} pieces (seed ${random.seed}) the text became another one`, { cut, outcome });
        }
      }
    },
  },
];
