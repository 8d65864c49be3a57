// Stores the messages of a run that was stopped or has failed: those of its caller, and with `keepPartial` of the memory the part of the answer
// that the output chain has passed. Nothing is stored of an input that a guard has blocked, or has not judged.
import {
  listRunJudges,
  selectMessages,
  type Conversation,
  type Message,
  type MessagePart,
  type Stage,
} from '@millrace/contracts';
import { buildResponseMessageId } from '../transcript/response-message.ts';
import type { Run } from '../state/run-context.ts';
import { listLateJudges } from '../state/stored-texts.ts';
import { isGivenAway } from '../state/run-stop.ts';
import { listHistories, saveHistory } from '../saves/save-history.ts';
import { listShownMessages } from '../transcript/shown-steps.ts';

/** Returns the deferred saves. @param isFailed the last step may be rejected, so that its text is not kept */
export async function saveStopped(run: Run, { isFailed }: { isFailed: boolean }): Promise<string[]> {
  if (!isToSave(run)) return [];
  const { steps, usage, conversation } = run.getState();
  const partial = listHistories(run).some(({ options }) => options['keepPartial'] === true)
    ? listPartial(run, isFailed)
    : [];
  const state = { ...run.getState(), conversation: replaceResponse(conversation, partial) };
  const answer = {
    retryCount: 0,
    stepNumber: steps.length,
    text: '',
    usage,
    finishReason: 'other',
    answered: true,
    judges: listRunJudges(run.plan),
  };
  return saveHistory(run, state, answer, true);
}

/**
 * The model was asked: every stage has passed the messages. A run that replaces messages keeps the old ones instead. If the save of the result
 * has begun, the messages may be stored, and the next owner replaces them.
 */
function isToSave(run: Run): boolean {
  const { inputPassed, steps, open, finish, request } = run.getState();
  const isAsked = run.saving.asked || steps.length > 0 || open?.answer !== undefined || open?.draft !== undefined;
  const isJudged = inputPassed && isAsked && !run.overlap.isUnjudged();
  const isOwn = run.ref.threadId !== undefined && !request.replaces && listHistories(run).length > 0;
  return isJudged && isOwn && !finish && !run.saving.begun && !isGivenAway(run.signal);
}

/** The text of an open step has passed the output stream alone, that of a closed one processLLMResponse and processOutputStep too. */
function listPartial(run: Run, isFailed: boolean): Message[] {
  if (hasLateJudge(run, 'processOutputResult')) return [];
  const openId = buildResponseMessageId(run.ref.runId, run.getState().steps.length);
  const isOpenKept = !isFailed && !STEP_STAGES.some((stage) => hasLateJudge(run, stage));
  const kept = listShownMessages(run)
    .filter(({ id }) => id !== openId || isOpenKept)
    .flatMap(dropOpenCalls);
  return kept.map((message, at) => (at === kept.length - 1 ? markInterrupted(message) : message));
}

/** The stages that judge the whole answer of a step. */
const STEP_STAGES = ['processLLMResponse', 'processOutputStep'] as const;

/** An entry that judges the answer in this stage alone has not judged a part of it. */
const hasLateJudge = ({ plan }: Pick<Run, 'plan'>, stage: Stage): boolean => listLateJudges(plan, stage).length > 0;

/** A provider rejects a call without a result. */
function dropOpenCalls(message: Message): Message[] {
  const isKept = (part: MessagePart) => part.type !== 'tool-invocation' || part.toolInvocation.state === 'result';
  const parts = message.content.parts.filter(isKept);
  const isEmpty = parts.every(({ type }) => type === 'step-start' || type === 'reasoning');
  return isEmpty ? [] : [{ ...message, content: { ...message.content, parts } }];
}

const markInterrupted = (message: Message): Message => ({
  ...message,
  content: { ...message.content, metadata: { ...message.content.metadata, interrupted: true } },
});

function replaceResponse(conversation: Conversation, partial: readonly Message[]): Conversation {
  const response = new Set(selectMessages(conversation, 'response').map(({ id }) => id));
  const kept = new Map(partial.map((message) => [message.id, message]));
  const entries = conversation.entries.flatMap((entry) => {
    if (!response.has(entry.message.id)) return [entry];
    const message = kept.get(entry.message.id);
    return message ? [{ ...entry, message }] : [];
  });
  return { ...conversation, entries };
}
