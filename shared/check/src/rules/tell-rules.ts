// A session that is stopped from elsewhere: it tells what it keeps, at once, and none of that is what nobody has let through.
import { SESSION_LIMITS, type JsonObject } from '@millrace/contracts';
import { broken } from '../broken.ts';
import { chunksOfText } from '../plain-turn.ts';
import { withSession } from '../play-session.ts';
import { needsStream, type Rule } from '../rule.ts';
import { streamAll } from '../stream-text.ts';
import type { Target } from '../target.ts';

const RUN_ID = 'run-1';
/** Words that no processor says by itself. */
const MARK = 'Qyzzx vellum';
const TIMES = 3;

export const tellRules: Rule[] = [
  {
    id: 'tell',
    promise: 'tells what it keeps when the stream was stopped, and says nothing more',
    page: 'tell',
    skipped: needsStream,
    async run(target) {
      const options = target.optionSets[0] ?? {};
      const waits: number[] = [];
      for (let count = 0; count < TIMES; count++) waits.push((await toldState(target, options)).ms);
      // A busy machine makes some of them long.
      const shortest = Math.round(Math.min(...waits));
      if (shortest > SESSION_LIMITS.tellMs)
        broken(
          `it told ${shortest} ms or more after it was asked; ${SESSION_LIMITS.tellMs} is as long as anybody waits`,
        );
    },
  },
  {
    id: 'told-words',
    promise: 'keeps nothing of a text that was stopped: it comes out of no later session',
    page: 'tell',
    skipped: needsStream,
    async run(target) {
      for (const options of target.optionSets) {
        const { state } = await toldState(target, options);
        const { text } = await streamAll(target, { options, state }, ['Another ', 'answer.']);
        if (MARK.split(' ').some((word) => text.includes(word)))
          broken('the state that it told gives out what the stopped session was given', { state, text });
      }
    },
  },
];

/** Of a session that is stopped in the middle of a word. */
async function toldState(target: Target, options: JsonObject): Promise<{ ms: number; state: JsonObject }> {
  return withSession(target, { options }, async (session) => {
    for (const chunk of chunksOfText(MARK.match(/.{1,4}/g) ?? [], RUN_ID).slice(0, -1)) session.send([chunk]);
    const askedAt = performance.now();
    session.tell();
    const verdicts = await session.ended();
    const ms = performance.now() - askedAt;
    await session.until(() => false, QUIET_MS);
    const stopping = verdicts.find(({ type }) => type === 'failure');
    if (stopping) broken('it answered "tell" with a failure', stopping);
    const [first] = verdicts;
    return { ms, state: (first && 'state' in first && first.state) || {} };
  });
}

/** So long is listened for what comes after the verdicts. */
const QUIET_MS = 50;
