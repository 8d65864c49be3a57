// Rules for a stopped session: it returns its states at once, and they contain no text that was not passed.
import { SESSION_LIMITS, type JsonObject } from '@millrace/contracts';
import { fail, failLate } from '../rule-error.ts';
import { buildTextChunks } from '../plain-turn.ts';
import { withSession } from '../play-session.ts';
import { needsStream, type CheckRule } from '../rule.ts';
import { streamAll } from '../stream-text.ts';
import type { CheckTarget } from '../target.ts';

const RUN_ID = 'run-1';
/** Words that no processor produces. */
const MARK = 'Qyzzx vellum';
/** A state that holds a part of a word is a violation, too. */
const PIECE_CHARS = 4;
const PIECES = Array.from({ length: MARK.length - PIECE_CHARS + 1 }, (_, at) => MARK.slice(at, at + PIECE_CHARS));
/** The replica may buffer the chunks by then. */
const PROCESSED_MS = 3_000;
const TIMES = 3;

export const stoppedSessionRules: CheckRule[] = [
  {
    id: 'tell',
    promise: 'returns its states after the stream was stopped, and sends nothing more',
    page: 'tell',
    skipReason: needsStream,
    async run(target) {
      const options = target.optionSets[0] ?? {};
      const waits: number[] = [];
      for (let count = 0; count < TIMES; count++) waits.push((await requestState(target, options)).ms);
      // On a busy machine some delays are long.
      const shortest = Math.round(Math.min(...waits));
      if (shortest > SESSION_LIMITS.verdictsMs)
        failLate(
          `it answered ${shortest} ms or more after the request; the limit is ${SESSION_LIMITS.verdictsMs} ms`,
          SESSION_LIMITS.verdictsMs,
        );
    },
  },
  {
    id: 'told-words',
    promise: 'stores nothing of a stopped text: no later session outputs it',
    page: 'tell',
    skipReason: needsStream,
    async run(target) {
      for (const options of target.optionSets) {
        const { state } = await requestState(target, options);
        const { text } = await streamAll(target, { options, state }, ['Another ', 'answer.']);
        const piece = PIECES.find((part) => text.includes(part));
        if (piece !== undefined) fail('the returned state outputs text of the stopped session', { state, text });
      }
    },
  },
];

/** Returns the state of a session that is stopped within a word. */
async function requestState(target: CheckTarget, options: JsonObject): Promise<{ ms: number; state: JsonObject }> {
  return withSession(target, { options }, async (session) => {
    const chunks = buildTextChunks(MARK.match(/.{1,4}/g) ?? [], RUN_ID).slice(0, -1);
    for (const chunk of chunks) session.send([chunk]);
    await session.waitUntil(() => session.countProcessed() >= chunks.length, PROCESSED_MS);
    const askedAt = performance.now();
    session.requestVerdicts();
    const verdicts = await session.waitForEnd();
    const ms = performance.now() - askedAt;
    await session.waitUntil(() => false, QUIET_MS);
    const stopping = verdicts.find(({ type }) => type === 'failure');
    if (stopping) fail('it answered "tell" with a failure', stopping);
    const [first] = verdicts;
    return { ms, state: (first && 'state' in first && first.state) || {} };
  });
}

/** Time to listen for messages after the verdicts, ms. */
const QUIET_MS = 50;
