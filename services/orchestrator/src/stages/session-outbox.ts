// What the orchestrator sends into a session: a batch when nothing is in flight or enough has gathered, within a window of chunks
// that are not processed; the end after the last of them.
import { SESSION_LIMITS, type Chunk } from '@millrace/contracts';

export type SessionOutbox = {
  push(chunks: readonly Chunk[]): void;
  /** Nothing more comes. */
  end(): void;
  /** From here on nothing waits for more to send it with. */
  hurry(): void;
  /** Sends what may go now. */
  flush(): void;
  /** The replica says that it is done with so many chunks. */
  advance(processed: number): void;
  /** Chunks that are not sent yet, because the window is full. */
  waiting(): number;
  sent(): number;
  processed(): number;
  endSent(): boolean;
  /** How long the replica has had something to do without getting on, ms. */
  stalledMs(now: number): number;
};

/** @param post sends one batch */
export function createSessionOutbox(post: (rest: { end?: boolean }, chunks: readonly Chunk[]) => void): SessionOutbox {
  let queue: Chunk[] = [];
  let sent = 0;
  let processed = 0;
  let ending = false;
  let hurried = false;
  let endSent = false;
  let lastAdvance = performance.now();
  return {
    push: (chunks) => void queue.push(...chunks),
    end: () => void (ending = true),
    hurry: () => void (hurried = true),
    flush() {
      const room = SESSION_LIMITS.windowChunks - (sent - processed);
      const idle = sent === processed;
      const isDue = idle || ending || hurried || queue.length >= SESSION_LIMITS.batchChunks;
      if (queue.length > 0 && room > 0 && isDue) {
        const chunks = queue.slice(0, room);
        queue = queue.slice(room);
        if (idle) lastAdvance = performance.now();
        sent += chunks.length;
        const end = ending && queue.length === 0;
        endSent ||= end;
        post(end ? { end } : {}, chunks);
      } else if (ending && !endSent && queue.length === 0) {
        endSent = true;
        lastAdvance = performance.now();
        post({ end: true }, []);
      }
    },
    advance(count) {
      // A replica cannot have processed more than it was sent: counting alone must not keep a session alive.
      const counted = Math.min(count, sent);
      if (counted <= processed) return;
      processed = counted;
      lastAdvance = performance.now();
    },
    waiting: () => queue.length,
    sent: () => sent,
    processed: () => processed,
    endSent: () => endSent,
    stalledMs: (now) => (sent > processed || endSent ? now - lastAdvance : 0),
  };
}
