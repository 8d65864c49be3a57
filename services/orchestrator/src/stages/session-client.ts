// The orchestrator's end of one stream session. A batch goes out when nothing is in flight or enough has gathered, within a
// window of chunks that are not processed; what comes back is in order or the session is lost. Silence, a gap and a count that does
// not advance are one failure, at once.
import {
  SESSION_LIMITS,
  type Chunk,
  type ErrorCode,
  type SessionOpened,
  type SessionOutput,
  type Verdict,
} from '@millrace/contracts';
import { publishInBatches, type Bus } from '@millrace/bus';
import type { SessionInbox, SessionListener } from '../peers/session-inbox.ts';

export type SessionEnd = { verdicts: Verdict[]; ms: number[] } | { lost: { code: ErrorCode; message: string } };

type SessionClient = {
  push(chunks: readonly Chunk[]): void;
  /** Nothing more comes; the session ends when what was pushed is done. */
  end(): void;
  /** Chunks that are waiting to be sent, because the window is full. */
  waiting(): number;
  /** Ends it at both ends; nothing more comes out. */
  drop(): void;
};

type SessionEvents = {
  output: (chunks: Chunk[]) => void;
  /** Called once: by its end, or by its loss. */
  ended: (end: SessionEnd) => void;
  /** The window has moved. */
  advanced: () => void;
};

export type OpenedSession = Extract<SessionOpened, { opened: true }>;

export type SessionClientOptions = {
  bus: Bus;
  inbox: SessionInbox;
  /** How long chunks may be in flight without the count advancing, ms. */
  timeoutMs: number;
};

/** A session that is being opened: it listens under `session` before the open request is sent, so that no answer is missed. */
export type SessionConnection = {
  client: SessionClient;
  session: string;
  out: string;
  /** Says where batches go, and who hears of what comes. */
  start(opened: OpenedSession, events: SessionEvents): void;
};

export function connectSession({ bus, inbox, timeoutMs }: SessionClientOptions): SessionConnection {
  const session = crypto.randomUUID();
  let events: SessionEvents = { output() {}, ended() {}, advanced() {} };
  let subject: string | undefined;
  let queue: Chunk[] = [];
  let sent = 0;
  let processed = 0;
  let nextOut = 0;
  let nextIn = 0;
  let ending = false;
  let endSent = false;
  let over = false;
  let ended: SessionEnd | undefined;
  let lastIn = Date.now();
  let lastOut = Date.now();
  let lastAdvance = Date.now();

  const finish = (end: SessionEnd) => {
    if (over) return;
    over = true;
    ended = end;
    inbox.close(session);
    events.ended(end);
  };
  const lose = (code: ErrorCode, message: string) => {
    post({ drop: true });
    finish({ lost: { code, message } });
  };
  const post = (rest: { end?: boolean; drop?: boolean }, chunks: readonly Chunk[] = []) => {
    if (subject === undefined || over) return;
    lastOut = Date.now();
    const head = (last: boolean) => ({ session, sequence: nextOut++, processed: 0, ...(last && rest) });
    publishInBatches(bus, subject, chunks, SESSION_LIMITS.maxBatchBytes, head);
  };
  const flush = () => {
    if (subject === undefined || over) return;
    const room = SESSION_LIMITS.windowChunks - (sent - processed);
    const idle = sent === processed;
    if (queue.length > 0 && room > 0 && (idle || ending || queue.length >= SESSION_LIMITS.batchChunks)) {
      const chunks = queue.slice(0, room);
      queue = queue.slice(room);
      if (idle) lastAdvance = Date.now();
      sent += chunks.length;
      const end = ending && queue.length === 0;
      endSent ||= end;
      post(end ? { end } : {}, chunks);
    } else if (ending && !endSent && queue.length === 0) {
      endSent = true;
      lastAdvance = Date.now();
      post({ end: true });
    }
  };
  const listener: SessionListener = {
    receive(output: SessionOutput) {
      if (over) return;
      if (output.sequence !== nextIn)
        return lose('session-lost', `Batch ${nextIn} of the session's answers was lost, ${output.sequence} came.`);
      nextIn += 1;
      lastIn = Date.now();
      if (output.processed > processed) {
        processed = output.processed;
        lastAdvance = lastIn;
      }
      if (output.chunks.length > 0) events.output(output.chunks);
      if (output.verdicts) return finish({ verdicts: output.verdicts, ms: output.ms ?? [] });
      flush();
      events.advanced();
    },
    beat(now) {
      if (subject === undefined || over) return;
      if (now - lastIn > SESSION_LIMITS.silenceMs)
        return lose('session-lost', `The replica was silent for ${SESSION_LIMITS.silenceMs} ms.`);
      const working = sent > processed || endSent;
      if (working && now - lastAdvance > timeoutMs)
        return lose('processor-timeout', `No chunk was processed within ${timeoutMs} ms.`);
      if (now - lastOut >= SESSION_LIMITS.heartbeatMs / 2) post({});
    },
  };
  const client: SessionClient = {
    push(chunks) {
      queue.push(...chunks);
      flush();
    },
    end() {
      ending = true;
      flush();
    },
    waiting: () => queue.length,
    drop() {
      post({ drop: true });
      over = true;
      inbox.close(session);
    },
  };
  return {
    client,
    session,
    out: inbox.open(session, listener),
    start(opened, listening) {
      subject = opened.subject;
      events = listening;
      lastIn = Date.now();
      // It may have been lost while the step's other sessions were still being opened.
      if (ended) listening.ended(ended);
      flush();
    },
  };
}
