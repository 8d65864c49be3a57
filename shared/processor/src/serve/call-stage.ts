// A stage call on the replica: the list's processors in order, each seeing what the one before it changed, up to the first
// verdict that stops. Never throws: what breaks is a failure verdict.
import {
  MillraceError,
  applyVerdict,
  blindReplacement,
  narrowInput,
  readsAt,
  type Reads,
  type StageCall,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { createEntryArgs, type CallContext, type EntryArgs } from '../entry-args.ts';
import { failureVerdict, thrownVerdict, withLeftovers } from '../verdict/failure-verdict.ts';
import { copyOf } from './copy-of.ts';
import type { Hosted, HostedProcessors } from './hosted-processor.ts';
import { ReadGuard } from './read-guard.ts';
import { returnedVerdict } from '../verdict/returned-verdict.ts';
import { GivenMessages, createList } from './stage-args.ts';
import { callMethod } from './stage-methods.ts';

export type StageOutcome = { verdicts: Verdict[]; ms: number[] };
type Entry = StageCall['entries'][number];

/**
 * Fewer verdicts than entries: a verdict stopped, or this replica does not serve the rest.
 * @param outcome filled as the verdicts come, so that others can see how far the call has got
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
    const given = await callEntry(call, entry, hosted, apart(input, call), context);
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
 * What one processor edits in place the next one must not see: the orchestrator will not have it. (Messages are no exception: an
 * edit of theirs is an operation, and the list that each gets is a copy.)
 */
function apart(input: StageInput, { entries }: StageCall): StageInput {
  if (entries.length === 1) return input;
  const { conversation, ...rest } = input;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a copy has its original's type
  const own = copyOf(rest) as typeof rest;
  return conversation ? { ...own, conversation } : own;
}

async function callEntry(
  { stage }: StageCall,
  entry: Entry,
  hosted: HostedProcessors,
  input: StageInput,
  context: CallContext,
): Promise<Verdict | undefined> {
  let found: Hosted | undefined;
  let args: EntryArgs;
  let writeError: unknown;
  const writeFailed = (error: unknown) => void (writeError ??= error);
  try {
    found = hosted(entry);
    if (!found) return undefined;
    const { definition, processor } = found;
    args = createEntryArgs(entry, context, { writeFailed, processor, codec: definition.stateCodec });
  } catch (error) {
    return failureVerdict(error);
  }
  const { definition, processor } = found;
  try {
    const reads = readsAt(definition.reads, stage);
    const guard = new ReadGuard(entry.entry, stage, reads);
    const own = narrowInput(input, reads);
    const given = new GivenMessages(createList(stage, own, guard), guard);
    const result = await untilGivenUp(() => callMethod(processor, stage, args.common, own, given), context.signal);
    // What a method returns when it is told to give up is no judgement: a guard must not pass text for want of time.
    if (context.signal.aborted) throw givenUp(entry.entry);
    if (writeError !== undefined) throw writeError;
    const verdict = returnedVerdict(stage, result, given);
    if (verdict.type === 'failure') return verdict;
    refuseBlindReplacement(verdict, reads);
    return withLeftovers(verdict, args);
  } catch (error) {
    return thrownVerdict(stage, error, args);
  }
}

/** Nobody waits for a method that hangs: what it does after the signal has fired counts no more. @throws what the method throws */
function untilGivenUp(call: () => unknown, signal: AbortSignal): unknown {
  const result = call();
  // Most methods answer at once: nothing is to be watched then.
  return isThenable(result) ? raced(Promise.resolve(result), signal) : result;
}

function isThenable(value: unknown): boolean {
  const mayHaveMembers = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return mayHaveMembers && 'then' in value && typeof value.then === 'function';
}

function raced(result: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const stop = () => resolve(undefined);
  signal.addEventListener('abort', stop, { once: true });
  void result.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  if (signal.aborted) stop();
  return promise;
}

export function givenUp(entry: string): MillraceError {
  return new MillraceError('processor-timeout', `"${entry}" was given up before it had judged.`);
}

/** Who was not given something must not replace all of it: that would remove what it has never seen. */
function refuseBlindReplacement(verdict: Verdict, reads: readonly Reads[]): void {
  const blind = 'changes' in verdict && verdict.changes ? blindReplacement(verdict.changes, reads) : undefined;
  if (!blind) return;
  const remedy = `Add '${blind.unread}' to its reads${blind.unread === 'system' ? ', or use messageList.setSystem(tag, ...)' : ''}.`;
  throw new MillraceError(
    'processor-verdict-refused',
    `${blind.member} were returned by a processor that does not read them.`,
    { path: blind.member, remedy },
  );
}
