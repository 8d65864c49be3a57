// Executes a stage call on the replica: the processors of the list in order, each with the changes of the preceding
// one, up to the first stop. Never throws: an error becomes a failure verdict.
import {
  MillraceError,
  applyVerdict,
  findBlindReplacement,
  narrowInput,
  findReadsAt,
  type Reads,
  type StageCall,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { createEntryArgs, type CallContext, type EntryArgs } from '../verdict/entry-args.ts';
import { createFailureVerdict, toThrownVerdict, withLeftovers } from '../verdict/failure-verdict.ts';
import type { HostedEntry, HostedProcessors } from './hosted-processor.ts';
import { ReadGuard } from '../message-list/read-guard.ts';
import { toReturnedVerdict } from '../verdict/returned-verdict.ts';
import type { StopError } from '../processor/stop.ts';
import { StageMessages, createList } from './stage-args.ts';
import { callMethod } from './stage-methods.ts';

/**
 * Copies JSON deeply, at a fraction of the cost of a structured clone; clones any other value.
 *
 * @throws DataCloneError for a value that cannot be cloned, for example a function
 */
export function copyValue(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return typeof value === 'function' ? structuredClone(value) : value;
  if (Array.isArray(value)) return value.map(copyValue);
  if (Object.getPrototypeOf(value) !== Object.prototype || Object.hasOwn(value, '__proto__'))
    return structuredClone(value);
  const copy: Record<string, unknown> = {};
  for (const [name, member] of Object.entries(value)) copy[name] = copyValue(member);
  return copy;
}

export type StageOutcome = { verdicts: Verdict[]; ms: number[] };
type StageEntry = StageCall['entries'][number];

/**
 * Returns fewer verdicts than entries if a verdict stopped, or this replica does not serve the rest.
 * @param outcome filled during the call, so that its progress is visible
 */
export async function callStage(
  call: StageCall,
  hosted: HostedProcessors,
  context: CallContext,
  outcome: StageOutcome = { verdicts: [], ms: [] },
): Promise<StageOutcome> {
  let input = call.input;
  for (const entry of call.entries) {
    const started = performance.now();
    const given = await callEntry(call, entry, hosted, separateInput(input, call), context);
    if (!given) break;
    const judged = applyVerdict(call.stage, input, given);
    outcome.verdicts.push(judged.verdict);
    outcome.ms.push(performance.now() - started);
    if (judged.verdict.type !== 'continue') break;
    input = judged.input;
  }
  return outcome;
}

/**
 * Isolates in-place edits of one processor from the next one: the orchestrator will not receive them. (Messages are an
 * exception: their edits are operations, and each processor has its own copy of the list.)
 */
function separateInput(input: StageInput, { entries }: StageCall): StageInput {
  if (entries.length === 1) return input;
  const { conversation, ...rest } = input;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy has its original's type
  const own = copyValue(rest) as typeof rest;
  return conversation ? { ...own, conversation } : own;
}

async function callEntry(
  { stage }: StageCall,
  entry: StageEntry,
  hosted: HostedProcessors,
  input: StageInput,
  context: CallContext,
): Promise<Verdict | undefined> {
  let found: HostedEntry | undefined;
  let args: EntryArgs;
  let writeError: unknown;
  let isOver = false;
  const writeFailed = (error: unknown) => void (writeError ??= error);
  const onStop = (error: StopError) => {
    if (isOver) context.warn?.(describeLateStop(entry.entry, error.verdict.type));
  };
  try {
    found = hosted(entry);
    if (!found) return undefined;
    const { definition, processor } = found;
    args = createEntryArgs(entry, context, { writeFailed, onStop, processor, codec: definition.stateCodec });
  } catch (error) {
    context.reportThrown?.(entry.entry, error);
    return createFailureVerdict(error);
  }
  const { definition, processor } = found;
  try {
    const reads = findReadsAt(definition.reads, stage);
    const guard = new ReadGuard(entry.entry, stage, reads);
    const own = narrowInput(input, reads);
    const given = new StageMessages(createList(stage, own, guard), guard);
    const result = await raceWithSignal(() => callMethod(processor, stage, args.common, own, given), context.signal);
    // The result of a cancelled method is no verdict: a guard must not pass text because of a timeout.
    if (context.signal.aborted) throw createGivenUpError(entry.entry);
    if (writeError !== undefined) throw writeError;
    const stop = args.readStop();
    if (stop) throw stop;
    const verdict = toReturnedVerdict(stage, result, given);
    if (verdict.type === 'failure') return verdict;
    refuseBlindReplacement(verdict, reads);
    return withLeftovers(verdict, args);
  } catch (error) {
    return toThrownVerdict(stage, error, args);
  } finally {
    isOver = true;
  }
}

const describeLateStop = (entry: string, kind: string): string =>
  `"${entry}" called ${kind}() after its method had returned: the verdict does not change. Await the work in the method.`;

/** Abandons a hanging method: its result after the signal is ignored. @throws the error of the method */
function raceWithSignal(call: () => unknown, signal: AbortSignal): unknown {
  const result = call();
  // Most methods return synchronously: no race is needed then.
  return isThenable(result) ? racePromise(Promise.resolve(result), signal) : result;
}

function isThenable(value: unknown): boolean {
  const mayHaveMembers = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return mayHaveMembers && 'then' in value && typeof value.then === 'function';
}

function racePromise(result: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const stop = () => resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  void result.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  if (signal.aborted) stop();
  return promise;
}

export function createGivenUpError(entry: string): MillraceError {
  return new MillraceError('processor-timeout', `"${entry}" was cancelled before it returned a verdict.`);
}

/** A processor must not replace data that it was not sent, because that would remove the unread part. */
function refuseBlindReplacement(verdict: Verdict, reads: readonly Reads[]): void {
  const blind = 'changes' in verdict && verdict.changes ? findBlindReplacement(verdict.changes, reads) : undefined;
  if (!blind) return;
  const remedy = `Add '${blind.unread}' to its reads${blind.unread === 'system' ? ', or use messageList.setSystem(tag, ...)' : ''}.`;
  throw new MillraceError('processor-verdict-refused', `A processor returned ${blind.member} without reading them.`, {
    path: blind.member,
    remedy,
  });
}
