// Compares the streamed text of a run with its final text, and rebuilds the chunks of the steps that differ. The final
// answers have passed the output chain. Pure.
import { readMessageText, buildTextMessage, type Chunk, type Message, type RunState } from '@millrace/contracts';
import { buildResponseMessageId } from './response-message.ts';
import { isFrame, joinText, makeMessageChunks } from './message-chunks.ts';
import { isStepFinish, makeStepChunks, putInPlace, splitSteps } from './step-chunks.ts';

/** `text`: the joined text of the whole run. */
export type FinalAnswer = { runId: string; messages: readonly Message[]; text: string };

/** The content of the chunks of some steps, from one on. */
export type RestatedAnswer = {
  /** Index of their first chunk; undefined if text is only added at the end. */
  from: number | undefined;
  /** The answers from there on, in order. */
  messages: readonly Message[];
  /** Ids of the answers with another text, and of removed ones. */
  changed: ReadonlySet<string>;
  /** The joined text from there on. */
  text: string;
};

type ShownState = Pick<RunState, 'steps' | 'shown' | 'firstIndex'>;
type StatedStep = { id: string; text: string; firstIndex: number; differs?: true | undefined };

/** Returns undefined if clients have read the final text. */
export function findRestated(state: ShownState, final: FinalAnswer): RestatedAnswer | undefined {
  const { steps, shown, firstIndex } = state;
  const stated: StatedStep[] = steps.map(({ stepNumber, text }, at) => ({
    id: buildResponseMessageId(final.runId, stepNumber),
    text,
    firstIndex,
    ...shown[at],
  }));
  const streamed = stated.filter(({ text, differs }) => text !== '' || differs);
  const spoken = final.messages.filter((message) => readMessageText(message) !== '');
  if (!streamed.some(({ differs }) => differs) && streamed.map(({ text }) => text).join('') === final.text)
    return undefined;
  if (joinTexts(spoken) !== final.text) return restateAll(state, final);
  const isSame = (step: StatedStep | undefined, message: Message | undefined) =>
    step?.id === message?.id && !step?.differs && step?.text === (message && readMessageText(message));
  const count = streamed.findIndex((step, place) => !isSame(step, spoken[place]));
  const at = count < 0 ? streamed.length : count;
  const first = streamed[at];
  const before = spoken.slice(0, at);
  const left = stated.slice(first ? stated.indexOf(first) : stated.length);
  const texts = new Map(final.messages.map((message) => [message.id, readMessageText(message)]));
  const changed = new Set(left.flatMap(({ id, text, differs }) => (differs || texts.get(id) !== text ? [id] : [])));
  const done = new Set([...stated.slice(0, stated.length - left.length), ...before].map(({ id }) => id));
  const messages = final.messages.filter(({ id }) => !done.has(id));
  return { from: first?.firstIndex, messages, changed, text: final.text.slice(joinTexts(before).length) };
}

/** Restates every answer of the run. */
export function restateAll({ steps, firstIndex }: ShownState, { runId, messages, text }: FinalAnswer): RestatedAnswer {
  const changed = new Set(steps.map(({ stepNumber }) => buildResponseMessageId(runId, stepNumber)));
  return { from: firstIndex, messages, changed, text };
}

/** Returns the messages that follow the answers of all steps: processors added them. */
export function listAdded({ steps }: ShownState, { runId, messages }: FinalAnswer): readonly Message[] {
  const stated = new Set(steps.map(({ stepNumber }) => buildResponseMessageId(runId, stepNumber)));
  return messages.slice(messages.findLastIndex(({ id }) => stated.has(id)) + 1);
}

const joinTexts = (messages: readonly Message[]): string => messages.map(readMessageText).join('');

/**
 * Returns the chunks that represent the answers: changed steps are rebuilt, other chunks stay. If the joined text would
 * be another one, the steps have no text, and one part at the end has all of it.
 * @param was the chunks of these steps so far; without them only the answers are rebuilt
 */
export function restateSteps(runId: string, was: readonly Chunk[], restated: RestatedAnswer): Chunk[] {
  const chunks = remakeSteps(runId, was, restated);
  if (joinText(chunks) === restated.text) return chunks;
  const frames = was.filter((one) => isFrame(one) && !isStepFinish(one));
  return [...frames, ...makeMessageChunks(runId, buildTextMessage(`${runId}.text`, 'assistant', restated.text))];
}

function remakeSteps(runId: string, was: readonly Chunk[], { messages, changed }: RestatedAnswer): Chunk[] {
  const groups = splitSteps(was);
  const known = new Set(groups.map(({ messageId }) => messageId));
  const left = [...messages];
  const made: Chunk[] = [];
  const takeAdded = () => {
    for (let [next] = left; next && !known.has(next.id); [next] = left) {
      left.shift();
      made.push(...makeMessageChunks(runId, next));
    }
  };
  for (const { messageId, chunks } of groups) {
    takeAdded();
    if (messageId === undefined) made.push(...chunks.filter(isFrame));
    else if (!changed.has(messageId)) made.push(...chunks);
    else
      made.push(
        ...putInPlace(
          chunks,
          makeStepChunks(
            runId,
            chunks,
            left.find(({ id }) => id === messageId),
          ),
        ),
      );
    if (left[0]?.id === messageId) left.shift();
  }
  takeAdded();
  return made;
}
