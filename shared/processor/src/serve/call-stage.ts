// A stage call on the replica: the list's processors in order, each seeing what the one before it changed, up to the first
// verdict that stops. Never throws: what breaks is a failure verdict.
import {
  MillraceError,
  applyChanges,
  type Reads,
  type StageCall,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { createEntryArgs, type CallContext } from '../entry-args.ts';
import { failureVerdict, thrownVerdict } from '../verdict/failure-verdict.ts';
import type { Hosted, HostedProcessors } from './hosted-processor.ts';
import { returnedVerdict } from '../verdict/returned-verdict.ts';
import { callMethod, createList, messagesFor } from './stage-methods.ts';

export type StageOutcome = { verdicts: Verdict[]; ms: number[] };
type Entry = StageCall['entries'][number];

/** Fewer verdicts than entries: a verdict stopped, or this replica does not serve the rest. */
export async function callStage(
  call: StageCall,
  hosted: HostedProcessors,
  context: CallContext,
): Promise<StageOutcome> {
  const outcome: StageOutcome = { verdicts: [], ms: [] };
  let input = call.input;
  for (const entry of call.entries) {
    const started = performance.now();
    const verdict = await callEntry(call, entry, hosted, apart(input, call), context);
    if (!verdict) break;
    outcome.verdicts.push(verdict);
    outcome.ms.push(performance.now() - started);
    if (verdict.type !== 'continue') break;
    if (verdict.changes) input = applyChanges(input, verdict.changes);
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
  return { ...structuredClone(rest), ...(conversation && { conversation }) };
}

async function callEntry(
  { stage }: StageCall,
  entry: Entry,
  hosted: HostedProcessors,
  input: StageInput,
  context: CallContext,
): Promise<Verdict | undefined> {
  let found: Hosted | undefined;
  try {
    found = hosted(entry);
  } catch (error) {
    return failureVerdict(error);
  }
  if (!found) return undefined;
  const { definition, processor } = found;
  const { common, leftovers } = createEntryArgs(entry, context);
  try {
    const own = narrowed(input, definition.reads);
    const list = createList(stage, own);
    const messages = messagesFor(stage, list);
    const result = await callMethod(processor, stage, common, own, { list, messages });
    // What a method returns when it is told to give up is no judgement: a guard must not pass text for want of time.
    if (context.signal.aborted) throw givenUp(entry);
    const verdict = returnedVerdict(stage, result, {
      messages,
      list,
      emptyMeansNone: stage.startsWith('processOutput'),
    });
    if (verdict.type === 'failure') return verdict;
    refuseBlindReplacement(verdict, definition.reads);
    return { ...verdict, ...leftovers() };
  } catch (error) {
    return thrownVerdict(stage, error, leftovers);
  }
}

function givenUp({ entry }: Entry): MillraceError {
  return new MillraceError('processor-timeout', `"${entry}" was given up before it had judged.`);
}

/** Who was not given the system messages must not replace them all: that would remove what it has never seen. */
function refuseBlindReplacement(verdict: Verdict, reads: readonly Reads[]): void {
  const ops = 'changes' in verdict ? (verdict.changes?.ops ?? []) : [];
  if (reads.includes('system') || !ops.some((op) => op.op === 'system-all')) return;
  throw new MillraceError(
    'processor-verdict-refused',
    'systemMessages were returned by a processor that does not read them.',
    {
      remedy: "Add 'system' to its reads, or use messageList.setSystem(tag, ...).",
    },
  );
}

/** A merged call carries what any of its processors reads; each still sees only its own. */
export function narrowed(input: StageInput, reads: readonly Reads[]): StageInput {
  if (!input.conversation) return input;
  const { entries, system } = input.conversation;
  return {
    ...input,
    conversation: {
      entries: entries.filter((entry) => reads.includes(entry.source)),
      system: reads.includes('system') ? system : [],
    },
  };
}
