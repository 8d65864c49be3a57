// processOutputStep, and what it leaves of the answer is the answer: accepted, and a checkpoint, so that it is never paid for twice.
import {
  messagesOf,
  toWireError,
  type Chunk,
  type Draft,
  type JsonValue,
  type Message,
  type MessageOp,
  type StageInput,
  type StepAnswer,
  type SystemMessage,
  type ToolCall,
  type ToolDefinition,
} from '@millrace/contracts';
import { MAX_TOOL_CALLS, tooManyCalls } from '../model/answer-builder.ts';
import type { Answered, ModelCall } from '../model/ask-model.ts';
import { guardChunks } from '../stages/guard-chunks.ts';
import { failInOwnWords, isSuspension, rejecting, type Interrupt } from '../state/interrupt.ts';
import { textOf, toolCallsOf, withText, withToolCalls } from '../state/response-message.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { stepInput } from './step-input.ts';

export async function acceptAnswer(run: Run, call: ModelCall, answered: Answered): Promise<Interrupt | undefined> {
  const { builder, finishReason, usage } = answered;
  const message = builder.message();
  const system = run.state().conversation.system;
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  const answer: StepAnswer = {
    message,
    text: textOf(message),
    reasoning: builder.reasoning(),
    toolCalls: toolCallsOf(message),
    finishReason,
    usage,
    model: call.model,
    fromCache: call.cached !== undefined,
  };
  return judgeAnswer(run, { answer, tools: call.tools, structured: call.structuredOutput !== undefined, system });
}

/** Where the stage has suspended, the answer stands in the state: the model is not asked again. */
export async function judgeAnswer(run: Run, draft: Draft): Promise<Interrupt | undefined> {
  const { message, text, toolCalls, finishReason, usage } = draft.answer;
  const given = { text, toolCalls };
  const input = { ...stepInput(run), ...given, finishReason, usage };
  const result = await runStage(run, 'processOutputStep', input);
  if (result.interrupt) {
    if (isSuspension(result.interrupt)) run.dispatch({ action: 'answer-drafted', draft });
    return result.interrupt;
  }
  const final = finalMessage(run, message, given, result.input);
  // Processors may have added calls to those of the model.
  if (toolCallsOf(final).length > MAX_TOOL_CALLS) return failInOwnWords(toWireError(tooManyCalls()));
  const answer = { ...draft.answer, message: final, text: textOf(final), toolCalls: toolCallsOf(final) };
  // With calls the answer is not the last one: its words are about the calls.
  const object = draft.structured && answer.toolCalls.length === 0 ? parseObject(answer.text) : undefined;
  if (object && 'interrupt' in object) return object.interrupt;
  const passed = object && (await passObject(run, object.value));
  if (passed && 'interrupt' in passed) return passed.interrupt;
  const system = changedGroups(draft.system, run.state().conversation.system);
  const isChanged = JSON.stringify(final) !== JSON.stringify(message);
  return accept(run, { ...answer, ...passed }, { tools: draft.tools, system, isChanged });
}

type Given = { text: string; toolCalls: ToolCall[] };

/** The message as processors left it in the conversation, with the text and the calls that they gave instead. */
function finalMessage(run: Run, message: Message, given: Given, left: StageInput): Message {
  const { text = given.text, toolCalls = given.toolCalls } = left;
  const responses = messagesOf(run.state().conversation, 'response');
  const removed = { ...message, content: { ...message.content, parts: [] } };
  const kept = responses.find((response) => response.id === message.id) ?? removed;
  const withNewText = text === given.text ? kept : withText(kept, text);
  return toolCalls === given.toolCalls ? withNewText : withToolCalls(withNewText, toolCalls);
}

/** What processInputStep said to the model ends with the step; what processOutputStep says is for the next one. */
async function accept(
  run: Run,
  answer: StepAnswer,
  { tools, system, isChanged }: { tools: ToolDefinition[]; system: MessageOp[]; isChanged: boolean },
): Promise<Interrupt | undefined> {
  const ops: MessageOp[] = [{ op: 'add', source: 'response', message: answer.message }];
  run.dispatch({ action: 'messages-changed', ops, ...(isChanged && { unpassed: true }) });
  run.dispatch({ action: 'answer-accepted', answer, tools });
  if (system.length > 0) run.dispatch({ action: 'messages-changed', ops: system });
  return run.checkpoint();
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
