// The output stream's processors of one step, as a chain of sessions on their replicas: what is pushed in comes out guarded.
// Knows nothing of models, publishing or what a verdict means for the run; those meet in step-stream.ts.
import { entriesOf, type Chunk, type StageInput } from '@millrace/contracts';
import { failureOf } from './call-processors.ts';
import type { Run } from '../state/run-context.ts';
import { emptyFold, foldVerdict, type Judged, type StageFold } from './verdict-fold.ts';
import { openSessions, type Opened } from './open-sessions.ts';
import type { SessionEnd } from './session-client.ts';

export type StreamChain = {
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

export async function openStreamChain(
  run: Run,
  input: StageInput,
  output: (chunks: readonly Chunk[]) => void,
): Promise<StreamChain> {
  const openings = await openSessions(run, entriesOf(run.plan, 'processOutputStream'), { input });
  const links = openings.filter((opening): opening is Opened => 'opened' in opening);
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
    for (const { connection } of links) connection.client.drop();
  };
  const settle = (next: StageFold) => {
    if (fold.stopped) return;
    fold = next;
    if (!fold.stopped) return;
    drop();
    over.resolve();
    ended.resolve(fold);
    wake();
  };
  /** Chunks into the link at `at`, or out of the chain behind the last one. */
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
    if ('opened' in opening) continue;
    const { entry, failure, attempts } = opening;
    settle(foldVerdict('processOutputStream', fold, { entry, verdict: failure, ms: 0, attempts }));
  }
  links.forEach((link, at) =>
    link.connection.start({
      output: (chunks) => into(at + 1, chunks),
      advanced: wake,
      ended: (end) => {
        settle(judgedBy(link, end).reduce((sum, judged) => foldVerdict('processOutputStream', sum, judged), fold));
        endAt(at + 1);
      },
    }),
  );
  const full = () => links.some(({ connection }) => connection.client.waiting() > MAX_WAITING_CHUNKS);
  return {
    push: (chunks) => into(0, chunks),
    end() {
      endAt(0);
      return ended.promise;
    },
    async room() {
      while (full() && !fold.stopped) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    stopped: over.promise,
    drop,
  };
}

/** A stream processor that breaks in mid-stream fails the run, whatever its policy: its text has already been let through. */
function judgedBy({ entries, attempts, opened }: Opened, end: SessionEnd): Judged[] {
  return entries.map((listed, at): Judged => {
    const entry = { ...listed, onFailure: 'fail' as const };
    const { replica } = opened;
    if ('lost' in end) return { entry, verdict: failureOf(entry, end.lost), ms: 0, attempts, replica };
    const verdict =
      end.verdicts[at] ?? failureOf(entry, { code: 'session-lost', message: 'The session ended without its verdict.' });
    return { entry, verdict, ms: end.ms[at] ?? 0, attempts, replica };
  });
}
