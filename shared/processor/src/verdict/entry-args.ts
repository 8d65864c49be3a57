// Builds the arguments that every method receives, for one entry of one call, and collects the state and the violations
// that the entry leaves in them.
import {
  MAX_STATE_CHARS,
  MillraceError,
  findUnserializable,
  describeLargeState,
  type CallEntry,
  type Chunk,
  type JsonObject,
  type VerdictUsage,
  type RunRef,
  type Trace,
  type Violation,
} from '@millrace/contracts';
import type { CommonArgs, Processor } from '../processor/processor.ts';
import type { StateCodec } from '../processor/processor-definition.ts';
import { createRequestContext } from '../processor/request-context.ts';
import type { StopError } from '../processor/stop.ts';
import { createStopRecorder } from './stop-recorder.ts';
import { createStreamWriter } from '../stream/stream-writer.ts';
import { createUsageSum } from './usage-sum.ts';
import { createViolationList } from './violation-list.ts';

export type CallContext = {
  run: RunRef;
  requestContext: JsonObject;
  trace: Trace | undefined;
  retryCount: number;
  maxProcessorRetries?: number | undefined;
  stepNumber: number;
  signal: AbortSignal;
  /** Sends custom chunks immediately. */
  write: (chunk: Chunk, entry: string) => void;
  /** Warns the operator; the call continues. */
  warn?: (message: string) => void;
  /** Logs an error that a method threw, without its message. */
  reportThrown?: (entry: string, error: unknown) => void;
};

/** Additions to a verdict. */
type Leftovers = { state?: JsonObject; violations?: Violation[]; usage?: VerdictUsage };

export type EntryArgs = {
  common: CommonArgs;
  /**
   * Returns state, violations and usage of the entry. Clears the timers of a live state.
   * @param withState false: skips the state
   * @throws state-not-serializable, state-too-large
   */
  collectLeftovers: (withState?: boolean) => Leftovers;
  /** Returns the violations and the usage, regardless of the state. */
  collectFindings: () => Omit<Leftovers, 'state'>;
  readUsage: () => Pick<Leftovers, 'usage'>;
  /** Returns the first stop that the entry requested, whether or not its error left the method. */
  readStop: () => StopError | undefined;
  /** Logs an error of the method, unless the call was cancelled: its error is then the cancellation. */
  reportThrown: (error: unknown) => void;
};

export type EntryHooks = {
  /** Reports that a custom chunk could not be sent. */
  writeFailed: (error: unknown) => void;
  /** Receives each stop before its error is thrown. */
  onStop?: (error: StopError) => void;
  /** Processor with an own callback for violations. */
  processor?: Pick<Processor, 'onViolation'>;
  /** The state is live for the whole session: it may contain timers, which end with the session. */
  live?: boolean;
  codec?: StateCodec | undefined;
};

function isEmpty(state: object): boolean {
  for (const _ in state) return false;
  return true;
}

export function createEntryArgs(
  entry: CallEntry,
  context: CallContext,
  { writeFailed, onStop, processor, codec, live = codec !== undefined }: EntryHooks,
): EntryArgs {
  const list = createViolationList(entry.entry);
  const sum = createUsageSum(entry.entry);
  const readUsage = (): Pick<Leftovers, 'usage'> => {
    const usage = sum.read();
    return usage ? { usage } : {};
  };
  const collectFindings = () => {
    const violations = list.listAll();
    return { ...(violations.length > 0 && { violations }), ...readUsage() };
  };
  const before = isEmpty(entry.state) ? '{}' : JSON.stringify(entry.state);
  const stored: JsonObject = before === '{}' ? {} : JSON.parse(before);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a codec makes is read by its own processors alone
  const state = codec ? (codec.decode(stored) as JsonObject) : stored;
  const { readStop, ...stops } = createStopRecorder(onStop);
  const common: CommonArgs = {
    ...stops,
    retryCount: context.retryCount,
    stepNumber: context.stepNumber,
    state,
    requestContext: createRequestContext(context.requestContext, context.run),
    tracingContext: context.trace ? { trace: context.trace } : {},
    abortSignal: context.signal,
    writer: createStreamWriter(context.run, (chunk) => context.write(chunk, entry.entry), writeFailed),
    onViolation: (violation) => {
      list.add(violation);
      notifyProcessor(processor, { ...violation, processorId: entry.entry });
    },
    onUsage: sum.add,
    run: context.run,
    entry: entry.entry,
  };
  if (context.maxProcessorRetries !== undefined) common.maxProcessorRetries = context.maxProcessorRetries;
  if (entry.skippable) common.skippable = true;
  if (entry.index !== undefined) common.processorIndex = entry.index;
  if (entry.resumeData !== undefined) common.resumeData = entry.resumeData;
  return {
    common,
    collectFindings,
    readUsage,
    readStop,
    reportThrown(error) {
      if (!context.signal.aborted) context.reportThrown?.(entry.entry, error);
    },
    collectLeftovers: (withState = true) => {
      if (live) {
        for (const place of endTimers(state, 'state'))
          context.warn?.(`"${entry.entry}" kept a timer at ${place}: it was cleared and dropped with the session`);
      }
      return {
        ...(withState && readChangedState(entry, codec ? codec.encode(state) : state, before)),
        ...collectFindings(),
      };
    },
  };
}

/** Calls the callback; the call continues regardless of its result, also if that is late. */
function notifyProcessor(processor: EntryHooks['processor'], violation: Violation): void {
  try {
    void Promise.resolve(processor?.onViolation?.(violation)).catch(() => undefined);
  } catch {
    // An error of the callback does not affect the call.
  }
}

/** @throws state-not-serializable with the path; state-too-large */
function readChangedState(entry: CallEntry, state: JsonObject, before: string): Leftovers {
  if (before === '{}' && isEmpty(state)) return {};
  const broken = findUnserializable(state, 'state');
  if (broken) {
    throw new MillraceError(
      'state-not-serializable',
      `The state of "${entry.entry}" has a value at ${broken} that is not JSON.`,
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
      `"${entry.entry}" (${entry.processor}): ${describeLargeState(written.length)}`,
      {
        remedy: 'Keep large data in a store of the processor, and its key in state.',
      },
    );
  return { state };
}

// Removes timers from a state before it leaves the process: they are not serializable, and their callbacks belong to the ended session.
/** Clears and removes every timer in `value`. Returns their paths, for example `state.flush`. */
function endTimers(value: object, path: string, seen: Set<object> = new Set([value])): string[] {
  return Object.entries(value).flatMap(([key, member]: [string, unknown]) => {
    if (typeof member !== 'object' || member === null || seen.has(member)) return [];
    seen.add(member);
    const place = Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`;
    if (!isTimer(member)) return endTimers(member, place, seen);
    clearTimeout(member);
    // In an array the other elements keep their indexes.
    if (Array.isArray(value)) Reflect.set(value, key, null);
    else Reflect.deleteProperty(value, key);
    return [place];
  });
}

/** Returns true for a result of setTimeout, setInterval or setImmediate. */
function isTimer(value: object): value is NodeJS.Timeout {
  return ['ref', 'unref', 'hasRef'].every((method) => typeof Reflect.get(value, method) === 'function');
}
