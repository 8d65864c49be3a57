// Rules for sessions of the output stream: numbers, ranges, ends.
import { isDeepStrictEqual } from 'node:util';
import { SESSION_LIMITS, isDataChunk } from '@millrace/contracts';
import { fail, failLate } from '../rule-error.ts';
import { withSession, type CheckedSession } from '../play-session.ts';
import { buildTextChunks, sampleChunks } from '../plain-turn.ts';
import { needsStream, type CheckRule } from '../rule.ts';
import type { SessionGiven } from '../session-open.ts';
import { buildCallEntry, type CheckTarget } from '../target.ts';
import { streamInTurn } from '../stream-in-turn.ts';
import { streamText } from '../stream-text.ts';

/** Run id in the input chunks: the output must have that of the run. */
const RUN_ID = 'run-1';
const PROSE = 'Noon is the time with the highest sun. Most clocks do not care.';
const SESSIONS_AT_ONCE = 8;

const rules: (Omit<CheckRule, 'page'> & Partial<CheckRule>)[] = [
  {
    id: 'session',
    promise: 'serves a session to its end: batches numbered, all chunks processed, a verdict for each entry',
    run: (target) =>
      forEachOptions(target, async (options) => {
        await withSession(target, { options }, async (session) => {
          const chunks = buildTextChunks(PROSE.split(/(?<= )/), RUN_ID);
          for (const chunk of chunks) session.send([chunk]);
          // A session that ends earlier has not waited for its end.
          await session.waitUntil(() => session.countProcessed() >= chunks.length, PROCESSED_MS);
          session.send([], { end: true });
          await session.waitForEnd();
        });
        await withSession(target, { options }, async (session) => {
          session.send([], { end: true });
          await session.waitForEnd();
        });
      }),
  },
  {
    id: 'ranges',
    promise: 'names unchanged chunks in order, each once, and only on request',
    run: (target) =>
      forEachOptions(target, async (options) => {
        const deltas = PROSE.split(/(?<= )/);
        const [named, sent] = [
          await streamText(target, { options, same: true }, deltas),
          await streamText(target, { options }, deltas),
        ];
        if (!isDeepStrictEqual(named, sent))
          fail('the output with "same" in the request differs from the output without', { named, sent });
      }),
  },
  {
    id: 'merged-session',
    promise: 'serves several entries in one session as a chain, or reports how many it serves',
    run: (target) =>
      forEachOptions(target, async (options) => {
        const first = buildCallEntry(target, options, { entry: 'first' });
        const others = { ...first, entry: 'others', processor: 'check-nobody-serves-this' };
        for (const second of [{ ...first, entry: 'second' }, others])
          await withSession(target, { options, entries: [first, second] }, async (session) => {
            if (second === others && session.opened.served > 1)
              fail('it serves an entry of an unserved processor', session.opened);
            session.send(buildTextChunks([PROSE], RUN_ID), { end: true });
            await session.waitForEnd();
          });
      }),
  },
  {
    id: 'sessions-apart',
    promise: 'keeps sessions that run at once apart',
    run: (target) =>
      forEachOptions(target, async (options) => {
        const words = Array.from({ length: SESSIONS_AT_ONCE }, (_, at) => `number ${'abcdefgh'[at] ?? 'x'} `);
        // Cut within words, so that a replica that buffers the end of a word does so between the chunks of other sessions.
        const texts = words.map((word) => word.repeat(10).match(/.{1,4}/g) ?? []);
        const [alone] = await streamInTurn(target, { options }, texts.slice(0, 1));
        const outcomes = await streamInTurn(target, { options }, texts);
        if (!isDeepStrictEqual(outcomes[0], alone))
          fail('the output with concurrent sessions differs from the output without', { alone, beside: outcomes[0] });
        const mixed = outcomes.find(({ text }, at) => words.some((word, own) => own !== at && text.includes(word)));
        if (mixed) fail('the output of a session contains input of another one', mixed);
      }),
  },
  {
    id: 'chunk-types',
    promise: 'accepts a chunk of every type, known or not, and passes undroppable ones',
    run: (target) =>
      forEachOptions(target, async (options) => {
        const samples = sampleChunks(RUN_ID).filter(
          (chunk) =>
            !['finish', 'error'].includes(chunk.type) && (target.descriptor.processDataParts || !isDataChunk(chunk)),
        );
        for (const chunk of samples)
          await withSession(target, { options }, async (session) => {
            session.send([chunk], { end: true });
            await session.waitForEnd().catch((error: unknown) => {
              throw error instanceof Error
                ? Object.assign(error, { message: `${chunk.type}: ${error.message}` })
                : error;
            });
          });
      }),
  },
  {
    id: 'processed',
    promise: 'reports "processed" at once, also while it holds a chunk back',
    run: (target) =>
      runWithFirstOptions(target, async (options) => {
        await withSession(target, { options }, async (session) => {
          const waits: number[] = [];
          for (const [at, chunk] of buildTextChunks(PROSE.slice(0, 30).split(/(?<= )/), RUN_ID)
            .slice(0, -1)
            .entries()) {
            const sentAt = performance.now();
            session.send([chunk]);
            if (!(await session.waitUntil(() => session.countProcessed() > at, PROCESSED_MS)))
              failLate(`chunk ${at} was not reported as processed within ${PROCESSED_MS} ms`, PROCESSED_MS, chunk);
            waits.push(performance.now() - sentAt);
          }
          // On a busy machine some delays are long, and a heartbeat can follow one chunk at once: two short delays decide.
          const delay = waits.slice(1).toSorted((one, other) => one - other)[1] ?? 0;
          if (delay > AT_ONCE_MS)
            failLate(
              `all chunks but one were reported as processed ${Math.round(delay)} ms or more after they were sent`,
              AT_ONCE_MS,
            );
        });
      }),
  },
  {
    id: 'heartbeats',
    promise: 'sends at least once a second, also without input',
    run: (target) =>
      runWithFirstOptions(target, (options) =>
        withSession(target, { options }, async (session) => {
          const openedAt = performance.now();
          await session.waitUntil(() => false, SESSION_LIMITS.silenceMs + SLACK_MS);
          const times = [openedAt, ...session.listTimes(), performance.now()];
          const gap = Math.max(...times.slice(1).map((time, at) => time - (times[at] ?? time)));
          if (gap > SESSION_LIMITS.silenceMs - SLACK_MS)
            failLate(
              `the session was silent for ${Math.round(gap)} ms; after ${SESSION_LIMITS.silenceMs} it is dropped`,
              SESSION_LIMITS.silenceMs - SLACK_MS,
            );
          session.send(buildTextChunks([PROSE], RUN_ID), { end: true });
          await session.waitForEnd();
        }),
      ),
  },
  {
    id: 'silence',
    promise: 'drops a session of a silent orchestrator',
    run: (target) =>
      runWithFirstOptions(target, (options) =>
        withSession(target, { options }, async (session) => {
          session.send(buildTextChunks(['Noon'], RUN_ID).slice(0, 2));
          session.stopAnswering();
          await session.waitUntil(() => false, SESSION_LIMITS.silenceMs + 2 * SLACK_MS);
          await holdQuiet(session, `${SESSION_LIMITS.silenceMs} ms after the orchestrator’s last word`);
        }),
      ),
  },
  {
    id: 'drop',
    promise: 'sends nothing more for a session that was given up',
    run: (target) =>
      runWithFirstOptions(target, async (options) => {
        await withSession(target, { options }, async (session) => {
          session.send(buildTextChunks(['Noon'], RUN_ID).slice(0, 2));
          session.drop();
          await session.waitUntil(() => false, SLACK_MS / 2);
          await holdQuiet(session, 'the session was dropped');
        });
      }),
  },
  {
    id: 'gap',
    promise: 'does not end a session well in which a batch was lost',
    run: (target) =>
      runWithFirstOptions(target, (options) =>
        withSession(target, { options }, async (session) => {
          session.send(buildTextChunks(['Noon'], RUN_ID).slice(0, 2));
          session.send(buildTextChunks(['Noon'], RUN_ID).slice(2), { end: true, skip: true });
          const verdicts = await session.waitForEnd().catch(() => []);
          if (verdicts.length > 0 && verdicts.every(({ type }) => type === 'continue'))
            fail('number 1 of the batches was left out, and the session ended with "continue"', verdicts);
        }),
      ),
  },
  {
    id: 'session-oversize',
    promise: 'takes chunks of 200 KiB, and sends batches of 256 KiB at most',
    page: 'session',
    alone: true,
    skipReason: needsStream,
    run: (target) =>
      runWithFirstOptions(target, (options) =>
        withSession(target, { options }, async (session) => {
          const [start, delta, end] = buildTextChunks([`${PROSE} `.repeat(2_700)], RUN_ID);
          for (const chunk of [start, delta, end]) if (chunk) session.send([chunk]);
          session.send([], { end: true });
          await session.waitForEnd();
        }),
      ),
  },
];

export const sessionRules: CheckRule[] = rules.map((rule) => ({ page: 'session', skipReason: needsStream, ...rule }));

/** Tolerance for a late heartbeat on a busy machine, ms. */
const SLACK_MS = 1_000;
const PROCESSED_MS = 3_000;
const AT_ONCE_MS = 350;

async function holdQuiet(session: CheckedSession, after: string): Promise<void> {
  const before = session.listTimes().length;
  await session.waitUntil(() => false, SLACK_MS + SESSION_LIMITS.heartbeatMs / 2);
  const more = session.listTimes().length - before;
  if (more > 0) fail(`${more} messages arrived after ${after}`);
}

type OptionSet = SessionGiven['options'];
async function forEachOptions(target: CheckTarget, run: (options: OptionSet) => Promise<void>): Promise<void> {
  for (const options of target.optionSets) await run(options);
}
const runWithFirstOptions = (target: CheckTarget, run: (options: OptionSet) => Promise<void>): Promise<void> =>
  run(target.optionSets[0] ?? {});
