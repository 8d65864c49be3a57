// The arguments that every method gets, made for one entry of one call, and what the entry leaves behind in them: its state,
// its violations.
import {
  MAX_STATE_CHARS,
  MillraceError,
  findUnserializable,
  stateTooLarge,
  type CallEntry,
  type Chunk,
  type JsonObject,
  type RunRef,
  type Trace,
  type Violation,
} from '@millrace/contracts';
import type { CommonArgs, Processor } from './processor.ts';
import type { StateCodec } from './processor-definition.ts';
import { endTimers } from './end-timers.ts';
import { createRequestContext } from './request-context.ts';
import { StopError } from './verdict/stop.ts';
import { createStreamWriter } from './stream/stream-writer.ts';
import { createViolationList } from './verdict/violation-list.ts';

export type CallContext = {
  run: RunRef;
  requestContext: JsonObject;
  trace: Trace | undefined;
  retryCount: number;
  stepNumber: number;
  signal: AbortSignal;
  /** Where custom chunks go, at once. */
  write: (chunk: Chunk, entry: string) => void;
  /** What an operator should know, though the call goes on. */
  warn?: (message: string) => void;
};

/** What a verdict carries along. */
type Leftovers = { state?: JsonObject; violations?: Violation[] };

export type EntryArgs = {
  common: CommonArgs;
  /**
   * What the method has left behind. Ends the timers of a live state.
   * @param withState false: the state is not looked at
   * @throws state-not-serializable, state-too-large
   */
  leftovers: (withState?: boolean) => Leftovers;
  /** What it has found, whatever its state is. */
  violations: () => Pick<Leftovers, 'violations'>;
};

export type EntryHooks = {
  /** A custom chunk could not be sent. */
  writeFailed: (error: unknown) => void;
  /** Whose own callback is told of violations. */
  processor?: Pick<Processor, 'onViolation'>;
  /** The state is live while a session lasts: timers may stand in it, and end with it. */
  live?: boolean;
  codec?: StateCodec | undefined;
};

// The same for all calls: what they stop is the method that calls them.
const abort: CommonArgs['abort'] = (reason = 'Stopped by a processor.', options = {}) => {
  throw new StopError({ kind: 'abort', reason, options });
};
const halt: CommonArgs['halt'] = (response, reason) => {
  throw new StopError({ kind: 'halt', response, ...(reason !== undefined && { reason }) });
};
const suspend: CommonArgs['suspend'] = (payload, options) => {
  throw new StopError({ kind: 'suspend', payload, ...options });
};

function isEmpty(state: object): boolean {
  for (const _ in state) return false;
  return true;
}

export function createEntryArgs(
  entry: CallEntry,
  context: CallContext,
  { writeFailed, processor, codec, live = codec !== undefined }: EntryHooks,
): EntryArgs {
  const list = createViolationList(entry.entry);
  const violations = () => {
    const found = list.all();
    return found.length > 0 ? { violations: found } : {};
  };
  const before = isEmpty(entry.state) ? '{}' : JSON.stringify(entry.state);
  const stored: JsonObject = before === '{}' ? {} : JSON.parse(before);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a codec makes is read by its own processors alone
  const state = codec ? (codec.decode(stored) as JsonObject) : stored;
  const common: CommonArgs = {
    abort,
    halt,
    suspend,
    retryCount: context.retryCount,
    stepNumber: context.stepNumber,
    state,
    requestContext: createRequestContext(context.requestContext, context.run),
    tracingContext: context.trace ? { trace: context.trace } : {},
    abortSignal: context.signal,
    writer: createStreamWriter(context.run, (chunk) => context.write(chunk, entry.entry), writeFailed),
    onViolation: (violation) => {
      list.add(violation);
      tell(processor, { ...violation, processorId: entry.entry });
    },
    run: context.run,
    entry: entry.entry,
  };
  if (entry.index !== undefined) common.processorIndex = entry.index;
  if (entry.resumeData !== undefined) common.resumeData = entry.resumeData;
  return {
    common,
    violations,
    leftovers: (withState = true) => {
      if (live) {
        for (const place of endTimers(state, 'state'))
          context.warn?.(`"${entry.entry}" kept a timer at ${place}: it was ended and dropped with the session`);
      }
      return { ...(withState && changedState(entry, codec ? codec.encode(state) : state, before)), ...violations() };
    },
  };
}

/** The call goes on whatever becomes of it, now or later. */
function tell(processor: EntryHooks['processor'], violation: Violation): void {
  try {
    void Promise.resolve(processor?.onViolation?.(violation)).catch(() => undefined);
  } catch {
    // What it throws is its own affair.
  }
}

/** @throws state-not-serializable, naming the place; state-too-large */
function changedState(entry: CallEntry, state: JsonObject, before: string): Leftovers {
  if (before === '{}' && isEmpty(state)) return {};
  const broken = findUnserializable(state, 'state');
  if (broken) {
    throw new MillraceError(
      'state-not-serializable',
      `"${entry.entry}" keeps something at ${broken} that is not JSON.`,
      {
        path: broken,
        remedy: 'Keep plain data in state; make timers, sockets and caches members of the processor.',
      },
    );
  }
  const written = JSON.stringify(state);
  if (written === before) return {};
  if (written.length > MAX_STATE_CHARS)
    throw new MillraceError(
      'state-too-large',
      `"${entry.entry}" (${entry.processor}): ${stateTooLarge(written.length)}`,
      {
        remedy: 'Keep what is long in a store of the processor’s own, and its key in state.',
      },
    );
  return { state };
}
