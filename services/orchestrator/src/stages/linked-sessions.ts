// The sessions of a step, linked: what comes out of one goes into the next, the end included. One that may be skipped can be taken out
// in mid-stream: what it has not let through goes past it then.
import type { Chunk, PlanEntry } from '@millrace/contracts';
import type { Session } from './open-sessions.ts';
import type { SessionEnd } from './session-client.ts';
import { createSkipRecord, type SkipRecord } from './skip-record.ts';

export type Link = Session & { entries: PlanEntry[]; attempts: number };

export type LinkedSessions = {
  /** From here on it is told of what happens. */
  start(): void;
  push(chunks: readonly Chunk[]): void;
  /** Nothing more comes. */
  end(): void;
  /** @param done called once, when all that was pushed has come out */
  drain(done: () => void): void;
  /** Chunks that wait for room, of the session where most do. */
  waiting(): number;
  /** The session has given its verdicts, and they go on. */
  pass(link: Link): void;
  /** The stream goes on without it, from where it broke off. */
  takeOut(link: Link): void;
  /** The stream was stopped, and nothing more comes out: those that are still open are asked what they keep. */
  tell(): Telling[];
  /** Nothing more comes out. */
  drop(): void;
};

export type Telling = { link: Link; said: Promise<SessionEnd> };

export type LinkedEvents = {
  output(chunks: readonly Chunk[]): void;
  /** Chunks have come to the session's place, or, after the last one, out of all of them. */
  seen(at: number, chunks: readonly Chunk[]): void;
  /** A session has ended, by its verdicts or by its loss. Nothing goes past it until it is passed or taken out. */
  ended(link: Link, end: SessionEnd): void;
  /** All have ended. */
  finished(): void;
  advanced(): void;
};

type Slot = { link: Link; record: SkipRecord | undefined; isOut: boolean; isEnding: boolean; hasEnded: boolean };

export function linkSessions(links: readonly Link[], events: LinkedEvents): LinkedSessions {
  let over = false;
  const slots = links.map((link): Slot => {
    const maySkip = link.entries.every(({ onFailure }) => onFailure === 'skip');
    const record = maySkip ? createSkipRecord(link.connection.client.processed) : undefined;
    return { link, record, isOut: false, isEnding: false, hasEnded: false };
  });
  const into = (at: number, chunks: readonly Chunk[]) => {
    const slot = slots[at];
    if (over || chunks.length === 0) return;
    events.seen(at, chunks);
    if (!slot) return events.output(chunks);
    if (slot.isOut) return into(at + 1, chunks);
    slot.record?.given(chunks);
    slot.link.connection.client.push(chunks);
  };
  const endAt = (at: number) => {
    const slot = slots[at];
    if (over) return;
    if (!slot) return events.finished();
    slot.isEnding = true;
    if (slot.isOut) endAt(at + 1);
    else slot.link.connection.client.end();
  };
  let drained: (() => void) | undefined;
  /** What one of them still works on comes to those behind it: they are looked at in order. */
  const checkDrained = () => {
    if (!drained || over) return;
    if (!slots.every(({ link, isOut }) => isOut || link.connection.client.drained())) return;
    const done = drained;
    drained = undefined;
    done?.();
  };
  const slotOf = (link: Link) => {
    const at = links.indexOf(link);
    return { at, slot: slots[at] };
  };
  const start = () => {
    for (const [at, slot] of slots.entries()) {
      const { link, record } = slot;
      link.connection.start({
        output(chunks) {
          record?.passed(chunks);
          into(at + 1, chunks);
        },
        advanced() {
          events.advanced();
          checkDrained();
        },
        ended(end) {
          slot.hasEnded = true;
          if (!over) events.ended(link, end);
        },
      });
    }
  };
  return {
    start,
    push: (chunks) => into(0, chunks),
    end: () => endAt(0),
    drain(done) {
      drained = done;
      checkDrained();
    },
    waiting: () => Math.max(0, ...links.map(({ connection }) => connection.client.waiting())),
    pass: (link) => endAt(slotOf(link).at + 1),
    takeOut(link) {
      const { at, slot } = slotOf(link);
      if (!slot?.record || slot.isOut) return;
      slot.isOut = true;
      into(at + 1, slot.record.rest());
      if (slot.isEnding) endAt(at + 1);
      checkDrained();
    },
    tell() {
      if (over) return [];
      over = true;
      const open = slots.filter(({ hasEnded, isOut }) => !hasEnded && !isOut);
      return open.map(({ link }) => ({ link, said: link.connection.client.tell() }));
    },
    drop() {
      over = true;
      for (const { connection } of links) connection.client.drop();
    },
  };
}
