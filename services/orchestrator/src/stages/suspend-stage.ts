// Suspends a stage, and resumes it when the answer is stored: at the entry that asked, with the changes of the entries
// before it, which are not called again.
import { editedAnswerSchema, type HeldPending, type JsonValue, type Stage, type StageInput } from '@millrace/contracts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { SUSPEND, type Interrupt } from '../state/interrupt.ts';
import { askPending, findPendingAt } from '../state/pending.ts';
import type { Run } from '../state/run-context.ts';
import type { ResumedEntry } from '../calls/call-request.ts';
import { guardChunks } from '../sessions/guard-chunks.ts';
import type { JudgedEntry } from '../calls/verdict-fold.ts';

export type ResumePoint = {
  id: string;
  resumed: ResumedEntry;
  kept: HeldPending['kept'];
  /** An operator changed the arguments of the call: every entry judges it again. */
  isEdited: boolean;
};

/**
 * Returns undefined if the stage has not suspended, or an interrupt if no answer is stored yet or if the answer stops
 * the run.
 */
export async function resumePoint(
  run: Run,
  stage: Stage,
  position?: number,
): Promise<ResumePoint | { interrupt: Interrupt } | undefined> {
  const pending = findPendingAt(run, stage, position);
  if (!pending) return undefined;
  if (!pending.resumed) return { interrupt: SUSPEND };
  const { id, by, kept, resumed, toolCall } = pending;
  const passed = await passAnswered(run, pending, resumed.edited ?? resumed.data);
  if ('interrupt' in passed) return passed;
  const point = { id, resumed: { entry: by, data: passed.data }, kept, isEdited: false };
  if (!resumed.edited || !toolCall || position === undefined) return point;
  // The output chain has judged the answer together with the arguments. One that it has dropped or broken denies.
  const edited = editedAnswerSchema.safeParse(passed.data).data;
  if (!edited) return { ...point, resumed: { entry: by, data: null } };
  const { toolName: tool, toolCallId } = toolCall;
  run.events.record({ event: 'edited-call', step: run.getState().steps.length, tool, toolCallId, position, by });
  const call = { ...toolCall, args: edited.args };
  return { id, resumed: { entry: by, data: edited.data }, kept: { toolCall: call }, isEdited: true };
}

/**
 * An answer is untrusted text: the output chain judges it like a tool's result before the processor sees it. A dropped
 * answer is null.
 */
async function passAnswered(
  run: Run,
  { id, by }: HeldPending,
  result: JsonValue,
): Promise<{ data: JsonValue } | { interrupt: Interrupt }> {
  return run.serialize(async () => {
    const whole = makeChunk(run.ref.runId, { type: 'tool-result', payload: { toolCallId: id, toolName: by, result } });
    const { chunks, interrupt } = await guardChunks(run, [whole]);
    if (interrupt) return { interrupt };
    const last = chunks.findLast((part) => part.type === 'tool-result');
    return { data: last?.payload.result ?? null };
  });
}

type SuspendedStage = {
  stage: Stage;
  position?: number | undefined;
  /** The input of the stage, and the changes of its entries. */
  given: StageInput;
  left: StageInput;
};

export function suspendStage(
  run: Run,
  { stage, position, given, left }: SuspendedStage,
  { entry, verdict }: JudgedEntry,
): void {
  if (verdict.type !== 'suspend') return;
  const { payload, expiresInSeconds } = verdict;
  const { toolCall } = left;
  askPending(run, {
    by: entry.entry,
    stage,
    ...(position !== undefined && { position }),
    ...(toolCall && { toolCall }),
    kept: findChangedMembers(given, left),
    payload,
    expiresInSeconds,
  });
}

/** The conversation belongs to the run and has the stage's changes. */
function findChangedMembers(
  { conversation: _, ...given }: StageInput,
  { conversation: __, ...left }: StageInput,
): HeldPending['kept'] {
  const before = new Map<string, unknown>(Object.entries(given));
  return Object.fromEntries(Object.entries(left).filter(([name, value]) => before.get(name) !== value));
}

/** The input of the stage as the entries before the one that asked had left it. */
export function withKept(input: StageInput, kept: HeldPending['kept']): StageInput {
  return { ...input, ...kept, retryCount: input.retryCount, stepNumber: input.stepNumber };
}
