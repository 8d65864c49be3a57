// Links the sessions of a step: the output of each is the input of the next, including the end. A session that may be
// skipped can be bypassed in mid-stream: the chunks that it has not passed then bypass it.
import type { Chunk, PlanEntry } from '@millrace/contracts';
import type { OpenSession } from './open-sessions.ts';
import type { SessionEnd } from './session-client.ts';
import { createSkipRecord, type SkipRecord } from './step-record.ts';

export type SessionLink = OpenSession & { entries: PlanEntry[]; attempts: number };

export type LinkedSessions = {
  /** Starts to report events. */
  start(): void;
  push(chunks: readonly Chunk[]): void;
  /** Pushes nothing more. */
  end(): void;
  /** @param onDone called once, when everything that was pushed has passed */
  drain(onDone: () => void): void;
  /** Returns the number of waiting chunks of the session with the most. */
  countWaiting(): number;
  /** The session has returned its verdicts and passes the end on. */
  pass(link: SessionLink): void;
  /** Continues the stream without the session, from the point of its loss. */
  takeOut(link: SessionLink): void;
  /** Stops the stream and discards further output: the open sessions are asked for their states. */
  requestVerdicts(): StoppedLink[];
  /** Discards further output. */
  drop(): void;
};

export type StoppedLink = { link: SessionLink; sessionEnd: Promise<SessionEnd> };

export type LinkedEvents = {
  output(chunks: readonly Chunk[]): void;
  /** Chunks have reached the session at this index or, after the last one, have passed all of them. */
  onSeen(at: number, chunks: readonly Chunk[]): void;
  /**
   * A session has ended, by its verdicts or by its loss. The end does not pass it until `pass` or `takeOut` is called.
   */
  onEnded(link: SessionLink, end: SessionEnd): void;
  /** All sessions have ended. */
  onFinished(): void;
  onAdvanced(): void;
};

type LinkSlot = {
  link: SessionLink;
  record: SkipRecord | undefined;
  isOut: boolean;
  isEnding: boolean;
  hasEnded: boolean;
};

function createSlot(link: SessionLink): LinkSlot {
  const maySkip = link.entries.every(({ onFailure }) => onFailure === 'skip');
  const record = maySkip ? createSkipRecord(link.connection.client.listUnprocessed) : undefined;
  return { link, record, isOut: false, isEnding: false, hasEnded: false };
}

export function linkSessions(links: readonly SessionLink[], events: LinkedEvents): LinkedSessions {
  let over = false;
  const slots = links.map(createSlot);
  const pushInto = (at: number, chunks: readonly Chunk[]) => {
    const slot = slots[at];
    if (over || chunks.length === 0) return;
    events.onSeen(at, chunks);
    if (!slot) return events.output(chunks);
    if (slot.isOut) return pushInto(at + 1, chunks);
    slot.record?.recordGiven(chunks);
    slot.link.connection.client.push(chunks);
  };
  const endAt = (at: number) => {
    const slot = slots[at];
    if (over) return;
    if (!slot) return events.onFinished();
    slot.isEnding = true;
    if (slot.isOut) endAt(at + 1);
    else slot.link.connection.client.end();
  };
  let drained: (() => void) | undefined;
  /** Sessions are checked in order: output of one is input of the next. */
  const checkDrained = () => {
    if (!drained || over) return;
    if (!slots.every(({ link, isOut }) => isOut || link.connection.client.isDrained())) return;
    const done = drained;
    drained = undefined;
    done?.();
  };
  const start = () => {
    for (const [at, slot] of slots.entries()) {
      const { link, record } = slot;
      link.connection.start({
        output(chunks) {
          record?.recordPassed(chunks);
          pushInto(at + 1, chunks);
        },
        onAdvanced() {
          events.onAdvanced();
          checkDrained();
        },
        onEnded(end) {
          slot.hasEnded = true;
          if (!over) events.onEnded(link, end);
        },
      });
    }
  };
  return {
    start,
    push: (chunks) => pushInto(0, chunks),
    end: () => endAt(0),
    drain(done) {
      drained = done;
      checkDrained();
    },
    countWaiting: () => Math.max(0, ...links.map(({ connection }) => connection.client.countWaiting())),
    pass: (link) => endAt(links.indexOf(link) + 1),
    takeOut(link) {
      const at = links.indexOf(link);
      const slot = slots[at];
      if (!slot?.record || slot.isOut) return;
      slot.isOut = true;
      pushInto(at + 1, slot.record.listRest());
      if (slot.isEnding) endAt(at + 1);
      checkDrained();
    },
    requestVerdicts() {
      if (over) return [];
      over = true;
      const open = slots.filter(({ hasEnded, isOut }) => !hasEnded && !isOut);
      return open.map(({ link }) => ({ link, sessionEnd: link.connection.client.requestVerdicts() }));
    },
    drop() {
      over = true;
      for (const { connection } of links) connection.client.drop();
    },
  };
}
