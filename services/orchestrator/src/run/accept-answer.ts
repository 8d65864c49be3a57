// processOutputStep, and what it leaves of the answer is the answer: accepted, and a checkpoint, so that it is never paid for twice.
import {
  messageText,
  toolCallsOf,
  toWireError,
  withText,
  withToolCalls,
  type Draft,
  type Message,
  type MessageOp,
  type StageInput,
  type StepAnswer,
  type SystemMessage,
  type ToolDefinition,
} from '@millrace/contracts';
import { MAX_TOOL_CALLS, tooManyCalls } from '../model/answer-builder.ts';
import type { Answered, ModelCall } from '../model/ask-model.ts';
import type { LastOut } from '../model/step-stream.ts';
import { failInOwnWords, isSuspension, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { stepsWith } from '../state/run-state.ts';
import { settleStep } from './settle-step.ts';
import { closeRun, rejectRun } from './closing-chunks.ts';
import { remakeHeld } from './remake-held.ts';
import { judgeObject, textChanges, type AskedObject } from './judge-object.ts';
import { stepInput } from './step-input.ts';

/** @param answered `last`: what came out of the step's processors behind the answer */
export async function acceptAnswer(
  run: Run,
  call: ModelCall,
  answer: StepAnswer,
  { last, said }: Answered,
): Promise<Interrupt | undefined> {
  const { message } = answer;
  const system = run.state().conversation.system;
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  const draft = { answer, tools: call.tools, structured: call.structuredOutput !== undefined, system };
  const schema = call.structuredOutput?.schema;
  return judgeAnswer(run, draft, { last, ...(schema && { asked: { schema, said } }) });
}

/** What is known of an answer besides: nothing where the run was put away meanwhile. */
type Besides = { last?: LastOut | undefined; asked?: AskedObject };

/** Where the stage has suspended, the answer stands in the state: the model is not asked again. */
export async function judgeAnswer(
  run: Run,
  draft: Draft,
  { last, asked }: Besides = {},
): Promise<Interrupt | undefined> {
  const { message, text, toolCalls, finishReason, usage } = draft.answer;
  const steps = stepsWith(run.state(), draft.answer);
  const input = { ...stepInput(run), steps, text, toolCalls, finishReason, usage, messageId: message.id };
  const { changes, see } = textChanges(text);
  const result = await runStage(run, 'processOutputStep', input, { see });
  if (result.interrupt) {
    if (isSuspension(result.interrupt)) run.dispatch({ action: 'answer-drafted', draft });
    return result.interrupt;
  }
  const final = finalMessage(message, result.input);
  // Processors may have added calls to those of the model.
  if (toolCallsOf(final).length > MAX_TOOL_CALLS) return failInOwnWords(toWireError(tooManyCalls()));
  const answer = { ...draft.answer, message: final, text: messageText(final), toolCalls: toolCallsOf(final) };
  const from = run.state().open?.firstIndex ?? run.chunks.nextIndex();
  const rejected = { what: 'step' as const, from };
  const isChanged = JSON.stringify(final) !== JSON.stringify(message);
  if (isChanged && run.agent.release === 'step') {
    const interrupt = await remakeHeld(run, { from, now: [final], changed: new Set([final.id]), rejected });
    if (interrupt) return interrupt;
  }
  const texts = { passed: text, final: answer.text, changes };
  const passed = draft.structured ? await judgeObject(run, final, asked, { ...texts, rejected }) : undefined;
  if (passed && 'interrupt' in passed) return passed.interrupt;
  const system = changedGroups(draft.system, run.state().conversation.system);
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
