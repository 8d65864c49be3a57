// How the scripted processor may differ from docs/wire.md.
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

/** What it does instead, each undefined where it does what it should. */
export type Quirks = {
  version?: string;
  descriptor?: Json;
  queue?: string;
  verbs?: readonly string[];
  withoutOwnSubject?: boolean;
  withoutSharedSubject?: boolean;
  withoutCancel?: boolean;
  /** What leaves for one call; several are several answers. */
  reply?: (right: Json, call: Json) => readonly unknown[];
  verdicts?: (call: Json) => readonly Json[];
  /** Before each call is answered, ms, one after the other. */
  slowMs?: number;
  /** Leaves the bus at such a message: what a process does that throws. */
  diesAt?: (text: string, subject: string) => boolean;
  opened?: (right: Json, open: Json) => unknown;
  /** What leaves in the place of one batch of a session. */
  batch?: (right: Json, session: Session) => readonly unknown[];
  chunks?: (right: readonly Json[], session: Session) => readonly Json[];
  withoutHolding?: boolean;
  withoutHeartbeat?: boolean;
  tellsWithHeartbeatOnly?: boolean;
  ignoresDrop?: boolean;
  ignoresSilence?: boolean;
  ignoresGaps?: boolean;
  ignoresTell?: boolean;
  /** It tells its state with the words that it holds, and lets them go in the next session. */
  tellsWords?: boolean;
  namesAlways?: boolean;
};
