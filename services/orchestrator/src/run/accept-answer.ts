// processOutputStep, and what it leaves of the answer is the answer: accepted, and a checkpoint, so that it is never paid for twice.
import {
  messageText,
  toolCallsOf,
  toWireError,
  withText,
  withToolCalls,
  type Chunk,
  type Draft,
  type JsonValue,
  type Message,
  type MessageOp,
  type StageInput,
  type StepAnswer,
  type SystemMessage,
  type ToolDefinition,
} from '@millrace/contracts';
import { MAX_TOOL_CALLS, tooManyCalls } from '../model/answer-builder.ts';
import type { ModelCall } from '../model/ask-model.ts';
import type { LastOut } from '../model/step-stream.ts';
import { guardChunks } from '../stages/guard-chunks.ts';
import { failInOwnWords, isSuspension, rejecting, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { stepsWith } from '../state/run-state.ts';
import { settleStep } from './settle-step.ts';
import { closeRun, rejectRun } from './closing-chunks.ts';
import { stepInput } from './step-input.ts';

/** @param last what came out of the step's processors behind the answer */
export async function acceptAnswer(
  run: Run,
  call: ModelCall,
  answer: StepAnswer,
  last?: LastOut,
): Promise<Interrupt | undefined> {
  const { message } = answer;
  const system = run.state().conversation.system;
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  const draft = { answer, tools: call.tools, structured: call.structuredOutput !== undefined, system };
  return judgeAnswer(run, draft, last);
}

/** Where the stage has suspended, the answer stands in the state: the model is not asked again. */
export async function judgeAnswer(run: Run, draft: Draft, last?: LastOut): Promise<Interrupt | undefined> {
  const { message, text, toolCalls, finishReason, usage } = draft.answer;
  const steps = stepsWith(run.state(), draft.answer);
  const input = { ...stepInput(run), steps, text, toolCalls, finishReason, usage, messageId: message.id };
  const result = await runStage(run, 'processOutputStep', input);
  if (result.interrupt) {
    if (isSuspension(result.interrupt)) run.dispatch({ action: 'answer-drafted', draft });
    return result.interrupt;
  }
  const final = finalMessage(message, result.input);
  // Processors may have added calls to those of the model.
  if (toolCallsOf(final).length > MAX_TOOL_CALLS) return failInOwnWords(toWireError(tooManyCalls()));
  const answer = { ...draft.answer, message: final, text: messageText(final), toolCalls: toolCallsOf(final) };
  // With calls the answer is not the last one: its words are about the calls.
  const object = draft.structured && answer.toolCalls.length === 0 ? parseObject(answer.text) : undefined;
  if (object && 'interrupt' in object) return object.interrupt;
  const passed = object && (await passObject(run, object.value));
  if (passed && 'interrupt' in passed) return passed.interrupt;
  const system = changedGroups(draft.system, run.state().conversation.system);
  const isChanged = JSON.stringify(final) !== JSON.stringify(message);
  return accept(run, { ...answer, ...passed }, { tools: draft.tools, system, isChanged, last });
}

/** The message as processors left it in the conversation; text and calls that were changed before a suspension are not in it yet. */
function finalMessage(message: Message, { conversation, text, toolCalls }: StageInput): Message {
  const removed = { ...message, content: { ...message.content, parts: [] } };
  const kept = conversation?.entries.find((entry) => entry.message.id === message.id)?.message ?? removed;
  const named = text === undefined || text === messageText(kept) ? kept : withText(kept, text);
  const isSame = toolCalls === undefined || JSON.stringify(toolCalls) === JSON.stringify(toolCallsOf(named));
  return isSame ? named : withToolCalls(named, toolCalls);
}

type Accepted = {
  tools: ToolDefinition[];
  system: MessageOp[];
  isChanged: boolean;
  /** What came out of the step's processors behind the answer. */
  last: LastOut | undefined;
};

/** What processInputStep said to the model ends with the step; what processOutputStep says is for the next one. */
async function accept(
  run: Run,
  answer: StepAnswer,
  { tools, system, isChanged, last }: Accepted,
): Promise<Interrupt | undefined> {
  const ops: MessageOp[] = [{ op: 'add', source: 'response', message: answer.message }];
  run.dispatch({ action: 'messages-changed', ops, ...(isChanged && { unpassed: true }) });
  run.dispatch({ action: 'answer-accepted', answer, tools });
  if (system.length > 0) run.dispatch({ action: 'messages-changed', ops: system });
  if (last && 'interrupt' in last) return rejectRun(run, last.interrupt);
  // Before the checkpoint, which says what is out.
  settleStep(run);
  const rejected = last && closeRun(run, last.chunks);
  return rejected ?? run.checkpoint();
}

function parseObject(text: string): { value: JsonValue } | { interrupt: Interrupt } | undefined {
  if (text.trim() === '') return undefined;
  try {
    return { value: JSON.parse(text) };
  } catch {
    // What the parser says of it quotes the answer.
    const message = 'The model was asked for an object and answered with something that is no JSON.';
    const remedy = 'Use a model that supports structured output.';
    return { interrupt: failInOwnWords({ code: 'model-call-failed', message, remedy }) };
  }
}

/** The object as the output chain lets it through; none where it is dropped there. */
async function passObject(run: Run, object: JsonValue): Promise<{ object?: JsonValue } | { interrupt: Interrupt }> {
  return run.inTurn(async () => {
    const whole: Chunk = { type: 'object-result', runId: run.ref.runId, from: 'AGENT', object };
    const { chunks, interrupt } = await guardChunks(run, [whole]);
    const stopped = run.interruption();
    if (stopped) return { interrupt: stopped };
    const from = run.state().open?.firstIndex ?? run.chunks.nextIndex();
    if (interrupt) return { interrupt: rejecting(interrupt, { what: 'step', from }) };
    run.chunks.publish(chunks);
    const last = chunks.findLast((part) => part.type === 'object-result');
    return last ? { object: last.object } : {};
  });
}

/** The operations that make the groups of `after` out of those of `before`, but for their places. */
export function changedGroups(before: readonly SystemMessage[], after: readonly SystemMessage[]): MessageOp[] {
  const tags = [...new Set([...before, ...after].map(({ tag }) => tag))];
  return tags.flatMap((tag): MessageOp[] => {
    const contents = contentsOf(after, tag);
    const isSame = JSON.stringify(contents) === JSON.stringify(contentsOf(before, tag));
    return isSame ? [] : [{ op: 'system', tag, contents }];
  });
}

function contentsOf(system: readonly SystemMessage[], tag: string): string[] {
  return system.filter((message) => message.tag === tag).map(({ content }) => content);
}
