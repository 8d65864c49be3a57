// The output stream's processors of one step, as a chain of sessions on their replicas: what is pushed in comes out guarded.
// Knows nothing of models, publishing or what a verdict means for the run; those meet in step-stream.ts.
import { entriesOf, type Chunk, type PlanEntry, type StageInput } from '@millrace/contracts';
import type { Run } from '../state/run-context.ts';
import { emptyFold, entryFailure, foldVerdict, judge, type Judged, type StageFold } from './verdict-fold.ts';
import { openSessions, type Session } from './open-sessions.ts';
import type { SessionEnd } from './session-client.ts';

export type OutputChain = {
  push(chunks: readonly Chunk[]): void;
  /** Nothing more comes. Resolves when everything is out, or when a processor stopped the stream. */
  end(): Promise<StageFold>;
  /** Resolves at once, or when the windows have room again. */
  room(): Promise<void>;
  /** Resolves when a processor stopped the stream, or a session was lost. */
  stopped: Promise<void>;
  /** Gives all sessions up; nothing more comes out. */
  drop(): void;
};

/** Chunks that may wait before the model is read no further. */
const MAX_WAITING_CHUNKS = 1_024;

export async function openOutputChain(
  run: Run,
  input: StageInput,
  output: (chunks: readonly Chunk[]) => void,
): Promise<OutputChain> {
  const entries = entriesOf(run.plan, 'processOutputStream');
  const openings = await openSessions(run, entries, input);
  const links = openings.flatMap((opening) => ('answer' in opening ? [{ ...opening, ...opening.answer }] : []));
  const over = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<StageFold>();
  let fold = emptyFold(input);
  let waiting: (() => void)[] = [];

  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const resolve of woken) resolve();
  };
  const drop = () => {
    run.signal.removeEventListener('abort', wake);
    for (const { connection } of links) connection.client.drop();
  };
  const accept = (next: StageFold) => {
    if (fold.stopped) return;
    fold = next;
    if (!fold.stopped) return;
    drop();
    over.resolve();
    ended.resolve(fold);
    wake();
  };
  /** Chunks into the link at `at`, or out of the output chain after the last one. */
  const into = (at: number, chunks: readonly Chunk[]) => {
    if (fold.stopped) return;
    const link = links[at];
    if (link) link.connection.client.push(chunks);
    else output(chunks);
  };
  const endAt = (at: number) => {
    const link = links[at];
    if (fold.stopped) return;
    if (link) link.connection.client.end();
    else ended.resolve(fold);
  };
  for (const opening of openings) {
    if ('answer' in opening) continue;
    const { entry, failure, ...rest } = opening;
    accept(foldVerdict(fold, { ...judge('processOutputStream', input, entry, failure), ...rest }));
  }
  // The run was stopped before all were asked: a chain with a gap lets nothing pass.
  const opened = new Set(openings.flatMap((one) => ('answer' in one ? one.entries : [one.entry])));
  const unopened = entries.find((entry) => !opened.has(entry));
  if (unopened) accept(foldVerdict(fold, lostAtOnce(unopened, input, cancelled)));
  links.forEach((link, at) =>
    link.connection.start({
      output: (chunks) => into(at + 1, chunks),
      advanced: wake,
      ended: (end) => {
        accept(judgedBy(link, end, input).reduce(foldVerdict, fold));
        endAt(at + 1);
      },
    }),
  );
  // Nobody waits for room in a stream that is over.
  run.signal.addEventListener('abort', wake, { once: true });
  const full = () => links.some(({ connection }) => connection.client.waiting() > MAX_WAITING_CHUNKS);
  return {
    push: (chunks) => into(0, chunks),
    end() {
      endAt(0);
      return ended.promise;
    },
    async room() {
      while (full() && !fold.stopped && !run.signal.aborted)
        await new Promise<void>((resolve) => waiting.push(resolve));
    },
    stopped: over.promise,
    drop,
  };
}

type Link = Session & { entries: PlanEntry[]; attempts: number };

/** A stream processor that breaks in mid-stream fails the run, whatever its policy: its text has already been let through. */
function judgedBy({ entries, attempts, opened }: Link, end: SessionEnd, input: StageInput): Judged[] {
  const { replica } = opened;
  return entries.slice(0, judgedCount(entries, end)).map((entry, at): Judged => {
    if ('lost' in end) return { ...lostAtOnce(entry, input, end.lost), attempts, replica };
    const verdict = end.verdicts[at];
    if (!verdict) return { ...lostAtOnce(entry, input, unjudged), attempts, replica };
    return {
      ...judge('processOutputStream', input, mustNotFail(entry), verdict),
      ms: end.ms[at] ?? 0,
      attempts,
      replica,
    };
  });
}

/** As in a stage call, those after the one that stopped may be left out: they have not failed. */
function judgedCount(entries: readonly PlanEntry[], end: SessionEnd): number {
  if ('lost' in end || end.verdicts.every(({ type }) => type === 'continue')) return entries.length;
  return end.verdicts.length;
}

type Loss = Extract<SessionEnd, { lost: unknown }>['lost'];
const unjudged: Loss = { code: 'session-lost', message: 'The session ended without its verdict.' };
const cancelled: Loss = { code: 'cancelled', message: 'The run was stopped before its session was opened.' };

const mustNotFail = (entry: PlanEntry): PlanEntry => ({ ...entry, onFailure: 'fail' });

function lostAtOnce(entry: PlanEntry, input: StageInput, loss: Loss): Judged {
  return judge('processOutputStream', input, mustNotFail(entry), entryFailure(entry, loss));
}
