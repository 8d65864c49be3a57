// Runs processOutputResult. Its changes of the response messages pass the output chain again, and so does the object.
import {
  messageSchema,
  listRunJudges,
  readMessageText,
  selectMessages,
  readJson,
  type EntryOutcome,
  type RunRequest,
  type StageInput,
  listEntries,
  type Conversation,
} from '@millrace/contracts';
import { z } from 'zod';
import { addRejected, isSuspension, rejectWholeRun, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import { listSkipped, type JudgedEntry } from '../calls/verdict-fold.ts';
import type { Run } from '../state/run-context.ts';
import { makeFinishChunk, runText, type FinishChunk } from '../transcript/finish-chunks.ts';
import { failBrokenText, fitsSchema, passObject, recordTextChanges, type TextChange } from './judge-object.ts';
import { passChanged } from './pass-answers.ts';
import { dropObject } from '../transcript/replace-answers.ts';
import { guardFinishChunk, type PassedFinish } from './guard-finish-chunk.ts';

/** `skipped`: entries that failed and may be skipped. */
export type JudgedResult = PassedFinish & { skipped?: EntryOutcome[] | undefined };

/** The arguments of its entries, except the conversation and the steps. */
export function buildResultInput(run: Run, finish: FinishChunk): Omit<StageInput, 'conversation' | 'steps'> {
  const { steps, usage, retryCount, answered, request } = run.getState();
  const finishReason = finish.payload.stepResult.reason;
  const judges = listRunJudges(run.plan);
  const forMemories = { judges, ...selectReplaced(request) };
  return {
    retryCount,
    stepNumber: steps.length - 1,
    text: runText(run),
    usage,
    finishReason,
    answered,
    ...forMemories,
  };
}

/** Names the messages of the thread that the run replaces. */
export const selectReplaced = ({ replaces }: Pick<RunRequest, 'replaces'>): Pick<StageInput, 'replaces'> =>
  replaces ? { replaces } : {};

/** Calls these entries only. */
export async function judgeResult(run: Run, names: readonly string[], finish: FinishChunk): Promise<JudgedResult> {
  if (names.length === 0) return { finish };
  const { conversation, steps } = run.getState();
  const input = { ...buildResultInput(run, finish), conversation, steps };
  const order = { ...run.plan.order, processOutputResult: [...names] };
  const part: Run = { ...run, plan: { ...run.plan, order } };
  const { texts, onJudged } = recordAnswerTexts(run);
  const fold = await runStage(part, 'processOutputResult', input, { onJudged });
  const { interrupt } = fold;
  if (interrupt) {
    if (isSuspension(interrupt)) run.dispatch({ action: 'finish-passed', finish });
    return { interrupt };
  }
  const skipped = listSkipped(fold);
  if (isComplete(finish, run)) return { finish, skipped };
  const stopped = (await passChanged(run)) ?? (await passObjectAgain(run, texts));
  return { ...(stopped ? { interrupt: stopped } : await guardFinishChunk(run, withFinalText(run, finish))), skipped };
}

const messagesSchema = z.array(messageSchema);
const serializeMessages = (messages: unknown): string => JSON.stringify(messagesSchema.safeParse(messages).data);

/**
 * Returns whether the finish repeats the current messages. Compared as a whole: changes before a suspension have not
 * passed either.
 */
function isComplete({ payload }: FinishChunk, run: Run): boolean {
  return (
    serializeMessages(payload.messages) === serializeMessages(selectMessages(run.getState().conversation, 'response'))
  );
}

type AnswerTexts = { first: string; changes: readonly TextChange[] };

/** Records each entry that changes the text of the run's last answer; entries before a suspension have changed `first`. */
function recordAnswerTexts(run: Run): { texts: AnswerTexts; onJudged: (judged: JudgedEntry) => void } {
  const { answer } = run.getState().open ?? {};
  const readText = ({ entries }: Pick<Conversation, 'entries'>): string => {
    const found = entries.find(({ message }) => message.id === answer?.message.id);
    return found ? readMessageText(found.message) : '';
  };
  const first = readText(run.getState().conversation);
  const { changes, record } = recordTextChanges(first);
  const onJudged = ({ entry, input: { conversation } }: JudgedEntry) => {
    if (conversation) record(entry, readText(conversation));
  };
  return { texts: { first, changes }, onJudged };
}

/**
 * Reads the object from the changed answer: none if the answer was removed or is no JSON any more. An object that matched its schema must
 * still match it.
 */
async function passObjectAgain(run: Run, { first, changes }: AnswerTexts): Promise<Interrupt | undefined> {
  const { answer } = run.getState().open ?? {};
  if (answer?.object === undefined) return undefined;
  const message = selectMessages(run.getState().conversation, 'response').find(({ id }) => id === answer.message.id);
  const text = message ? readMessageText(message) : '';
  if (text === answer.text) return undefined;
  const schema = run.agent.structuredOutput?.schema;
  const asked = schema && fitsSchema(schema, answer.text) ? { schema, rawText: undefined } : undefined;
  const object = readJson(text);
  const rejected = rejectWholeRun(run.getState());
  if (object && asked && !fitsSchema(asked.schema, text)) {
    const known = fitsSchema(asked.schema, first) ? changes : [];
    return addRejected(failBrokenText('processOutputResult', asked.schema, known), rejected);
  }
  dropObject(run);
  const passed = object ? await passObject(run, object.value, rejected, asked) : {};
  if ('interrupt' in passed) return passed.interrupt;
  run.dispatch({ action: 'object-passed', ...passed });
  return undefined;
}

/**
 * Keeps the members that the stream's processors added to the finish; text and messages are those of
 * processOutputResult.
 */
function withFinalText(run: Run, finish: FinishChunk): FinishChunk {
  const { messages } = makeFinishChunk(run, finish.payload.stepResult.reason).payload;
  const { payload } = finish;
  return { ...finish, payload: { ...payload, messages, output: { ...payload.output, text: runText(run) } } };
}

/** Returns the entries before memory's first, and from that one on. */
export function listResultEntries({ plan }: Pick<Run, 'plan'>): [string[], string[]] {
  const entries = listEntries(plan, 'processOutputResult');
  const first = entries.findIndex(({ memory }) => memory);
  const names = entries.map(({ entry }) => entry);
  return first < 0 ? [names, []] : [names.slice(0, first), names.slice(first)];
}
