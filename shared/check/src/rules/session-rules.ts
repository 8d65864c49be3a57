// Sessions of the output stream: their numbers, their ranges, their ends.
import { isDeepStrictEqual } from 'node:util';
import { SESSION_LIMITS, isDataChunk } from '@millrace/contracts';
import { broken } from '../broken.ts';
import { withSession, type PlayedSession } from '../play-session.ts';
import { chunksOfText, sampleChunks } from '../plain-turn.ts';
import { needsStream, type Rule } from '../rule.ts';
import type { SessionGiven } from '../session-open.ts';
import { entryOf, type Target } from '../target.ts';
import { streamText } from '../stream-text.ts';

/** The chunks' own run id: what comes out is the run's, whatever they say. */
const RUN_ID = 'run-1';
const PROSE = 'Noon is the time at which the sun stands highest. Most clocks do not care.';
const SESSIONS_AT_ONCE = 8;

export const sessionRules: Rule[] = [
  {
    id: 'session',
    promise: 'serves a session to its end: batches numbered, all chunks processed, a verdict for each entry',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      eachOptions(target, async (options) => {
        await withSession(target, { options }, async (session) => {
          const chunks = chunksOfText(PROSE.split(/(?<= )/), RUN_ID);
          for (const chunk of chunks) session.send([chunk]);
          // Whoever ends it sooner has not waited for its end.
          await session.until(() => session.processed() >= chunks.length, PROCESSED_MS);
          session.send([], { end: true });
          await session.ended();
        });
        await withSession(target, { options }, async (session) => {
          session.send([], { end: true });
          await session.ended();
        });
      }),
  },
  {
    id: 'ranges',
    promise: 'names unchanged chunks in order, each once, and only where it was asked to',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      eachOptions(target, async (options) => {
        const deltas = PROSE.split(/(?<= )/);
        const [named, sent] = [
          await streamText(target, { options, same: true }, deltas),
          await streamText(target, { options }, deltas),
        ];
        if (!isDeepStrictEqual(named, sent))
          broken('with "same" in the request something else comes out than without', { named, sent });
      }),
  },
  {
    id: 'merged-session',
    promise: 'serves several entries in one session as a chain, or says how many it serves',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      eachOptions(target, async (options) => {
        const first = entryOf(target, options, { entry: 'first' });
        const others = { ...first, entry: 'others', processor: 'check-nobody-serves-this' };
        for (const second of [{ ...first, entry: 'second' }, others])
          await withSession(target, { options, entries: [first, second] }, async (session) => {
            if (second === others && session.opened.served > 1)
              broken('it serves an entry of a processor that nobody serves', session.opened);
            session.send(chunksOfText([PROSE], RUN_ID), { end: true });
            await session.ended();
          });
      }),
  },
  {
    id: 'sessions-apart',
    promise: 'keeps sessions that run at once apart',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      eachOptions(target, async (options) => {
        const words = Array.from({ length: SESSIONS_AT_ONCE }, (_, at) => `number ${'abcdefgh'[at] ?? 'x'} `);
        const alone = await streamText(target, { options }, Array<string>(20).fill(words[0] ?? ''));
        const outcomes = await Promise.all(
          words.map((word) => streamText(target, { options }, Array<string>(20).fill(word))),
        );
        if (!isDeepStrictEqual(outcomes[0], alone))
          broken('beside other sessions something else comes out than alone', { alone, beside: outcomes[0] });
        const mixed = outcomes.find(({ text }, at) => words.some((word, own) => own !== at && text.includes(word)));
        if (mixed) broken('a session gives out what another one was given', mixed);
      }),
  },
  {
    id: 'chunk-types',
    promise: 'takes a chunk of every type, known or not, and passes what may not be dropped',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      eachOptions(target, async (options) => {
        const samples = sampleChunks(RUN_ID).filter(
          (chunk) =>
            !['finish', 'error'].includes(chunk.type) && (target.descriptor.processDataParts || !isDataChunk(chunk)),
        );
        for (const chunk of samples)
          await withSession(target, { options }, async (session) => {
            session.send([chunk], { end: true });
            await session.ended().catch((error: unknown) => {
              throw error instanceof Error
                ? Object.assign(error, { message: `${chunk.type}: ${error.message}` })
                : error;
            });
          });
      }),
  },
  {
    id: 'processed',
    promise: 'tells "processed" at once, also where it holds a chunk back',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      firstOptions(target, async (options) => {
        await withSession(target, { options }, async (session) => {
          const waits: number[] = [];
          for (const [at, chunk] of chunksOfText(PROSE.slice(0, 30).split(/(?<= )/), RUN_ID)
            .slice(0, -1)
            .entries()) {
            const sentAt = performance.now();
            session.send([chunk]);
            if (!(await session.until(() => session.processed() > at, PROCESSED_MS)))
              broken(`chunk ${at} was not told as processed within ${PROCESSED_MS} ms`, chunk);
            waits.push(performance.now() - sentAt);
          }
          // A busy machine makes some of them long; one that waits for its heartbeat has none that is short.
          const shortest = Math.min(...waits.slice(1));
          if (shortest > AT_ONCE_MS)
            broken(`each chunk was told as processed ${Math.round(shortest)} ms or more after it was sent`);
        });
      }),
  },
  {
    id: 'heartbeats',
    promise: 'sends at least once a second, also where nothing comes',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      firstOptions(target, (options) =>
        withSession(target, { options }, async (session) => {
          const openedAt = performance.now();
          await session.until(() => false, SESSION_LIMITS.silenceMs + SLACK_MS);
          const times = [openedAt, ...session.times(), performance.now()];
          const gap = Math.max(...times.slice(1).map((time, at) => time - (times[at] ?? time)));
          if (gap > SESSION_LIMITS.silenceMs - SLACK_MS)
            broken(`the session was silent for ${Math.round(gap)} ms; after ${SESSION_LIMITS.silenceMs} it is dropped`);
          session.send(chunksOfText([PROSE], RUN_ID), { end: true });
          await session.ended();
        }),
      ),
  },
  {
    id: 'silence',
    promise: 'drops a session whose orchestrator has fallen silent',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      firstOptions(target, (options) =>
        withSession(target, { options }, async (session) => {
          session.send(chunksOfText(['Noon'], RUN_ID).slice(0, 2));
          session.fallSilent();
          await session.until(() => false, SESSION_LIMITS.silenceMs + 2 * SLACK_MS);
          await holdQuiet(session, `${SESSION_LIMITS.silenceMs} ms after the orchestrator’s last word`);
        }),
      ),
  },
  {
    id: 'drop',
    promise: 'sends nothing more for a session that was given up',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      firstOptions(target, async (options) => {
        await withSession(target, { options }, async (session) => {
          session.send(chunksOfText(['Noon'], RUN_ID).slice(0, 2));
          session.drop();
          await session.until(() => false, SLACK_MS / 2);
          await holdQuiet(session, 'the session was dropped');
        });
      }),
  },
  {
    id: 'gap',
    promise: 'does not end a session well in which a batch was lost',
    page: 'session',
    skipped: needsStream,
    run: (target) =>
      firstOptions(target, (options) =>
        withSession(target, { options }, async (session) => {
          session.send(chunksOfText(['Noon'], RUN_ID).slice(0, 2));
          session.send(chunksOfText(['Noon'], RUN_ID).slice(2), { end: true, skip: true });
          const verdicts = await session.ended().catch(() => []);
          if (verdicts.length > 0 && verdicts.every(({ type }) => type === 'continue'))
            broken('number 1 of the batches was left out, and the session ended with "continue"', verdicts);
        }),
      ),
  },
  {
    id: 'session-oversize',
    promise: 'takes chunks of 200 KiB, and sends batches of 256 KiB at most',
    page: 'session',
    alone: true,
    skipped: needsStream,
    run: (target) =>
      firstOptions(target, (options) =>
        withSession(target, { options }, async (session) => {
          const [start, delta, end] = chunksOfText([`${PROSE} `.repeat(2_700)], RUN_ID);
          for (const chunk of [start, delta, end]) if (chunk) session.send([chunk]);
          session.send([], { end: true });
          await session.ended();
        }),
      ),
  },
];

/** A heartbeat that is late on a busy machine, ms. */
const SLACK_MS = 1_000;
const PROCESSED_MS = 3_000;
const AT_ONCE_MS = 350;

async function holdQuiet(session: PlayedSession, after: string): Promise<void> {
  const before = session.times().length;
  await session.until(() => false, SLACK_MS + SESSION_LIMITS.heartbeatMs / 2);
  const more = session.times().length - before;
  if (more > 0) broken(`${more} messages came after ${after}`);
}

type Options = SessionGiven['options'];
async function eachOptions(target: Target, run: (options: Options) => Promise<void>): Promise<void> {
  for (const options of target.optionSets) await run(options);
}
const firstOptions = (target: Target, run: (options: Options) => Promise<void>): Promise<void> =>
  run(target.optionSets[0] ?? {});
