// Defines violations of docs/wire.md by the scripted processor.
export type Json = Record<string, unknown>;

export type Session = {
  open: Json;
  take(batch: Json): void;
  /** The answer to a batch in the open request. */
  batch(): Json;
  start(): void;
  end(): void;
  over: Promise<void>;
};

/** Overrides, each undefined for correct behavior. */
export type Quirks = {
  version?: string;
  descriptor?: Json;
  queue?: string;
  verbs?: readonly string[];
  withoutOwnSubject?: boolean;
  withoutSharedSubject?: boolean;
  withoutCancel?: boolean;
  /** Every replica receives every call. */
  withoutQueue?: boolean;
  /** Replies to one call; several are several replies. */
  reply?: (right: Json, call: Json) => readonly unknown[];
  verdicts?: (call: Json) => readonly Json[];
  /** Delay of each call, ms, in sequence. */
  slowMs?: number;
  /** Leaves the bus at such a message, like a process that throws. */
  diesAt?: (text: string, subject: string) => boolean;
  changeOpened?: (right: Json, open: Json) => unknown;
  /** Messages that replace one batch of a session. */
  batch?: (right: Json, session: Session) => readonly unknown[];
  chunks?: (right: readonly Json[], session: Session) => readonly Json[];
  withoutHolding?: boolean;
  /** All sessions share one buffer. */
  sharesBuffer?: boolean;
  /** Stores its buffer in the state if the stream is stopped, and outputs it in the next session. */
  keepsBuffer?: boolean;
  withoutHeartbeat?: boolean;
  tellsWithHeartbeatOnly?: boolean;
  ignoresDrop?: boolean;
  ignoresSilence?: boolean;
  ignoresGaps?: boolean;
  ignoresTell?: boolean;
  /** Stores its held text in the state and outputs it in the next session. */
  tellsWords?: boolean;
  namesAlways?: boolean;
};

/** The problem is the one that the suite reports. */
export type Breakage = [rule: string, name: string, quirks: Quirks, problem: RegExp];

export function toEntries(entries: unknown): unknown[] {
  return Array.isArray(entries) ? entries : [];
}
