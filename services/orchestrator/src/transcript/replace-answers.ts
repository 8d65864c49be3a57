// Replaces answers that processors have changed by their new form, as it passes the output chain. The chunks of a
// buffered answer are rebuilt in their place, so that clients see the new form only. A published answer keeps its chunks
// until the run ends (restate-run.ts).
import {
  readMessageText,
  selectMessages,
  type Chunk,
  type Message,
  type RunAction,
  type StepAnswer,
} from '@millrace/contracts';
import { isFrame, makeMessageChunks, makeStepFinish } from './message-chunks.ts';
import { buildResponseMessageId } from './response-message.ts';
import type { RunTranscript, StatedRun } from './run-transcript.ts';
import { isStepFinish, makeStepChunks, putInPlace, splitSteps, type StepChunks } from './step-chunks.ts';

type ReplacingRun = StatedRun & {
  dispatch(action: RunAction): void;
  serialize<T>(work: () => Promise<T>): Promise<T>;
  transcript: Pick<RunTranscript, 'listBuffered' | 'locate' | 'replace'>;
};

/** `message`: the answer with the text that passed; absent if the answer was removed. */
type PassedAgain = { chunks: readonly Chunk[]; message: Message | undefined };
/** Passes the chunks of an answer through the output chain. */
export type PassAgain<I> = (
  chunks: readonly Chunk[],
  message: Message | undefined,
) => Promise<PassedAgain | { interrupt: I }>;

/**
 * Replaces the answer of the open step, whose stream has `text`. Returns the answer as it passed.
 * @param isChanged the message differs from the streamed answer
 */
export async function replaceStep<I>(
  run: ReplacingRun,
  { text, mixed }: Pick<StepAnswer, 'text' | 'mixed'>,
  { message, isChanged }: { message: Message; isChanged: boolean },
  pass: PassAgain<I>,
): Promise<{ message: Message } | { interrupt: I }> {
  if (!isChanged || run.agent.release !== 'step') {
    if (mixed || readMessageText(message) !== text) run.dispatch({ action: 'stream-differed' });
    return { message };
  }
  const from = run.transcript.locate('step');
  const rebuilt = await rebuild(run, { from, now: [message], changed: new Set([message.id]) }, pass);
  return 'interrupt' in rebuilt ? rebuilt : { message: rebuilt.passed[0] ?? message };
}

/** Replaces the answers of closed steps, and the messages that processors added: those that have not passed in their current form. */
export async function replaceAnswers<I>(run: ReplacingRun, pass: PassAgain<I>): Promise<I | undefined> {
  const changed = listRebuiltIds(run);
  if (changed.size > 0) {
    const ids = new Set(listAnswerIds(run));
    const now = selectMessages(run.getState().conversation, 'response').filter(({ id }) => ids.has(id));
    const rebuilt = await rebuild(run, { from: run.transcript.locate('run'), now, changed }, pass);
    if ('interrupt' in rebuilt) return rebuilt.interrupt;
  }
  for (const message of listLate(run)) {
    const chunks = makeMessageChunks(run.ref.runId, message);
    const passed = await run.serialize(() => pass(chunks, message));
    if ('interrupt' in passed) return passed.interrupt;
  }
  return undefined;
}

export const hasChangedAnswers = (run: ReplacingRun): boolean =>
  listLate(run).length > 0 || listRebuiltIds(run).size > 0;

/** Drops the buffered object: a changed text has another object or none. */
export function dropObject({ transcript }: Pick<ReplacingRun, 'transcript'>): void {
  const from = transcript.locate('run');
  const buffered = transcript.listBuffered(from);
  const left = buffered.filter(({ type }) => type !== 'object-result');
  if (left.length < buffered.length) transcript.replace(from, left);
}

/** Returns the changed and removed answers of a completely buffered run. Messages that processors added belong to no step. */
function listRebuiltIds(run: ReplacingRun): Set<string> {
  if (run.agent.release !== 'result') return new Set();
  const { conversation, unpassed } = run.getState();
  const current = new Set(selectMessages(conversation, 'response').map(({ id }) => id));
  return new Set(listAnswerIds(run).filter((id) => unpassed.includes(id) || !current.has(id)));
}

const listAnswerIds = ({ ref: { runId }, getState }: ReplacingRun): string[] =>
  getState().steps.map(({ stepNumber }) => buildResponseMessageId(runId, stepNumber));

/** Returns the messages with a text that has not passed as chunks: changed ones that are not rebuilt, and added ones. */
function listLate(run: ReplacingRun): Message[] {
  const { conversation, unpassed, steps, shown } = run.getState();
  if (unpassed.length === 0) return [];
  const streamed = new Map(listAnswerIds(run).map((id, at) => [id, shown[at]?.differs ? undefined : steps[at]?.text]));
  const isLate = (message: Message): boolean => {
    const { id } = message;
    if (!unpassed.includes(id) || readMessageText(message) === '') return false;
    return streamed.has(id) ? run.agent.release !== 'result' && streamed.get(id) !== readMessageText(message) : true;
  };
  return selectMessages(conversation, 'response').filter(isLate);
}

/** `now`: all answers from the place on in their current form, in order. `changed`: ids of the changed and removed ones. */
type ChangedAnswers = { from: number; now: readonly Message[]; changed: ReadonlySet<string> };

async function rebuild<I>(
  run: ReplacingRun,
  changed: ChangedAnswers,
  pass: PassAgain<I>,
): Promise<{ passed: Message[] } | { interrupt: I }> {
  const { ref, transcript } = run;
  return run.serialize(async () => {
    const next: Chunk[] = [];
    const passed: Message[] = [];
    for (const step of listStepsToMake(transcript.listBuffered(changed.from), changed)) {
      if ('chunks' in step) {
        next.push(...step.chunks);
        continue;
      }
      const { message, was } = step;
      const again = await pass(makeStepChunks(ref.runId, was, message), message);
      if ('interrupt' in again) return again;
      if (again.message) passed.push(again.message);
      // The end of the step repeats the text as its pieces passed.
      const repeatText = (one: Chunk): Chunk => (isStepFinish(one) ? makeStepFinish(one, again.message) : one);
      next.push(...putInPlace(was, again.message === message ? again.chunks : again.chunks.map(repeatText)));
    }
    transcript.replace(changed.from, next);
    return { passed };
  });
}

/** `was`: its buffered chunks. */
type StepToMake = { message: Message | undefined; was: readonly Chunk[] };

function listStepsToMake(
  buffered: readonly Chunk[],
  { now, changed }: ChangedAnswers,
): (StepToMake | Pick<StepChunks, 'chunks'>)[] {
  const steps = splitSteps(buffered);
  const byId = new Map(steps.map(({ messageId, chunks }) => [messageId, chunks]));
  const messages = new Map(now.map((message) => [message.id, message]));
  if ([...changed].every((id) => byId.has(id)))
    return steps.map(({ messageId, chunks }) =>
      messageId !== undefined && changed.has(messageId)
        ? { message: messages.get(messageId), was: chunks }
        : { chunks },
    );
  // If the output stream's processors dropped the beginning of an answer, its text is in another's step: the steps
  // cannot be distinguished, and all are rebuilt.
  const unknown = steps.flatMap(({ messageId, chunks }) => (messageId === undefined ? chunks : []));
  const around = unknown.filter((one) => isFrame(one) && !isStepFinish(one));
  return [{ chunks: around }, ...now.map((message) => ({ message, was: byId.get(message.id) ?? [] }))];
}
