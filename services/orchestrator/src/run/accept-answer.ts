// Runs processOutputStep and accepts its result as the answer, with a checkpoint, so that the answer is never paid for
// twice.
import {
  readMessageText,
  readLabel,
  readToolCalls,
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
import { MAX_TOOL_CALLS, createTooManyCallsError } from '../model/answer-builder.ts';
import type { ModelAnswer } from '../model/ask-model.ts';
import type { StepModelCall } from '../model/step-call.ts';
import type { LastOut } from '../model/step-stream.ts';
import { failInOwnWords, isSuspension, type Interrupt } from '../state/interrupt.ts';
import { labelAnswer, labelChanged, readAnswerTrust } from '../state/run-labels.ts';
import { keepStored } from '../state/stored-texts.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { appendStep } from '../state/step-results.ts';
import { closeRun, rejectRun } from './closing-chunks.ts';
import { createPassAgain } from './pass-answers.ts';
import { replaceStep } from '../transcript/replace-answers.ts';
import { judgeObject, recordTextChanges, type AskedObject } from './judge-object.ts';
import { buildStepInput } from './step-input.ts';

/** @param answered `last`: the last chunks of the step's processors after the answer */
export async function acceptAnswer(
  run: Run,
  call: StepModelCall,
  answer: StepAnswer,
  { last, rawText, stored }: ModelAnswer,
): Promise<Interrupt | undefined> {
  const message = labelAnswer(answer.message, readAnswerTrust(run.getState()));
  const system = run.getState().conversation.system;
  const known = Object.hasOwn(run.getState().stored, message.id);
  run.dispatch({
    action: 'messages-changed',
    ops: [{ op: 'add', source: 'response', message }],
    // The text of a rejected try must not stay if its later entries are skipped now.
    ...keepStored(message, stored ?? (known ? readMessageText(message) : undefined)),
  });
  const draft = {
    answer: { ...answer, message },
    tools: call.tools,
    structured: call.structuredOutput !== undefined,
    system,
  };
  const schema = call.structuredOutput?.schema;
  return judgeAnswer(run, draft, { last, ...(schema && { asked: { schema, rawText } }) });
}

/** Details of an answer that are not stored: absent if the run was suspended in between. */
type Besides = { last?: LastOut | undefined; asked?: AskedObject };

/** If the stage suspends, the answer is stored in the state: the model is not asked again. */
export async function judgeAnswer(
  run: Run,
  draft: Draft,
  { last, asked }: Besides = {},
): Promise<Interrupt | undefined> {
  const { message, text, toolCalls, finishReason, usage } = draft.answer;
  const steps = appendStep(run.getState(), draft.answer);
  const input = { ...buildStepInput(run), steps, text, toolCalls, finishReason, usage, messageId: message.id };
  const { changes, onJudged } = recordTextChanges(text);
  const result = await runStage(run, 'processOutputStep', input, { onJudged });
  if (result.interrupt) {
    if (isSuspension(result.interrupt)) run.dispatch({ action: 'answer-drafted', draft });
    return result.interrupt;
  }
  const judged = labelChanged(run.getState(), buildFinalMessage(message, result.input), message);
  // Processors may have added calls to those of the model.
  if (readToolCalls(judged).length > MAX_TOOL_CALLS) return failInOwnWords(toWireError(createTooManyCallsError()));
  const rejected = { what: 'step' as const, from: run.transcript.locate('step') };
  const isChanged = JSON.stringify(judged) !== JSON.stringify(message);
  const pass = createPassAgain(run, rejected);
  const replaced = await replaceStep(run, draft.answer, { message: judged, isChanged }, pass);
  if ('interrupt' in replaced) return replaced.interrupt;
  const final = replaced.message;
  const answer = { ...draft.answer, message: final, text: readMessageText(final), toolCalls: readToolCalls(final) };
  const texts = { passed: text, final: answer.text, changes };
  const passed = draft.structured ? await judgeObject(run, final, asked, { ...texts, rejected }) : undefined;
  if (passed && 'interrupt' in passed) return passed.interrupt;
  const system = findChangedGroups(draft.system, run.getState().conversation.system);
  return accept(run, { ...answer, ...passed }, { tools: draft.tools, system, isChanged, last });
}

/**
 * Returns the message that processors left in the conversation; text and calls that were changed before a suspension
 * are not in it yet.
 */
function buildFinalMessage(message: Message, { conversation, text, toolCalls }: StageInput): Message {
  const removed = { ...message, content: { ...message.content, parts: [] } };
  const kept = conversation?.entries.find((entry) => entry.message.id === message.id)?.message ?? removed;
  const named = text === undefined || text === readMessageText(kept) ? kept : withText(kept, text);
  const isSame = toolCalls === undefined || JSON.stringify(toolCalls) === JSON.stringify(readToolCalls(named));
  return isSame ? named : withToolCalls(named, toolCalls);
}

type AcceptedAnswer = {
  tools: ToolDefinition[];
  system: MessageOp[];
  isChanged: boolean;
  /** The last chunks of the step's processors after the answer. */
  last: LastOut | undefined;
};

/** System messages of processInputStep end with the step; those of processOutputStep apply to the next one. */
async function accept(
  run: Run,
  answer: StepAnswer,
  { tools, system, isChanged, last }: AcceptedAnswer,
): Promise<Interrupt | undefined> {
  const ops: MessageOp[] = [{ op: 'add', source: 'response', message: answer.message }];
  run.dispatch({ action: 'messages-changed', ops, ...(isChanged && { unpassed: true }) });
  run.dispatch({ action: 'answer-accepted', answer, tools });
  if (system.length > 0) run.dispatch({ action: 'messages-changed', ops: system });
  if (last && 'interrupt' in last) return rejectRun(run, last.interrupt);
  // Settles before the checkpoint, which stores the position of the released chunks.
  run.transcript.settleStep();
  const rejected = last && closeRun(run, last.chunks);
  return rejected ?? run.checkpoint();
}

/** Returns the operations that turn the groups of `before` into those of `after`, regardless of their order. */
export function findChangedGroups(before: readonly SystemMessage[], after: readonly SystemMessage[]): MessageOp[] {
  const tags = [...new Set([...before, ...after].map(({ tag }) => tag))];
  return tags.flatMap((tag): MessageOp[] => {
    const contents = listContents(after, tag);
    const isSame = JSON.stringify(contents) === JSON.stringify(listContents(before, tag));
    const labels = after.filter((message) => message.tag === tag).map(readLabel);
    return isSame ? [] : [{ op: 'system', tag, contents, labels }];
  });
}

function listContents(system: readonly SystemMessage[], tag: string): string[] {
  return system.filter((message) => message.tag === tag).map(({ content }) => content);
}
