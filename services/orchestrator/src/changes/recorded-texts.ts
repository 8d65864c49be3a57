// Finds the texts that a verdict or a batch of chunks has changed, and the same texts at the end of a run. Pure.
import {
  messageSchema,
  readMessageText,
  selectMessages,
  type Chunk,
  type Conversation,
  type Message,
  type MessageSource,
  type RunChange,
  type RunState,
  type Stage,
  type StageInput,
} from '@millrace/contracts';

/** The place of a text in a run. Texts of the parts in HIDDEN_PARTS are counted and never shown. */
export type TextPlace = Pick<RunChange, 'part' | 'messageId' | 'toolCallId'>;
export type RecordedText = { place: TextPlace; before: string; after: string };
/** The parts of a run's state that its result is built from. */
export type FinalTexts = Pick<RunState, 'conversation' | 'steps'>;

/** Texts of the operator and of other runs: their changes are recorded by length. */
const HIDDEN_PARTS: ReadonlySet<RunChange['part']> = new Set(['system', 'recalled', 'context', 'prompt']);

export const isHidden = ({ part }: TextPlace): boolean => HIDDEN_PARTS.has(part);

type TextPlaces = ReadonlyMap<string, { place: TextPlace; text: string }>;

/** Returns the texts that one verdict of a stage has changed. */
export function listInputChanges(stage: Stage, before: StageInput, after: StageInput): RecordedText[] {
  return compareTexts(readInput(stage, before), readInput(stage, after));
}

/** Returns the texts that processors have changed in chunks outside of the model's stream: results of tools, messages of the finish. */
export function listChunkChanges(given: readonly Chunk[], passed: readonly Chunk[]): RecordedText[] {
  return compareTexts(readChunks(given), readChunks(passed));
}

/**
 * Returns the text as the result of the run has it.
 * @param step the step of the change; undefined is returned if two calls of that step have one id
 */
export function findFinalText(
  { part, messageId, toolCallId }: TextPlace,
  step: number,
  { conversation, steps }: FinalTexts,
): string | undefined {
  if (part === 'message') {
    const found = selectMessages(conversation, 'input', 'response').find(({ id }) => id === messageId);
    return found && readMessageText(found);
  }
  const [one, ...others] = steps[step]?.toolResults.filter((result) => result.toolCallId === toolCallId) ?? [];
  if (!one || others.length > 0) return undefined;
  if (part === 'arguments') return writeJson(one.args);
  return part === 'result' ? writeJson(one.result) : undefined;
}

function compareTexts(before: TextPlaces, after: TextPlaces): RecordedText[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) => {
    const [old, now] = [before.get(key), after.get(key)];
    const place = (now ?? old)?.place;
    const texts = { before: old?.text ?? '', after: now?.text ?? '' };
    return place && texts.before !== texts.after ? [{ place, ...texts }] : [];
  });
}

function readInput(stage: Stage, input: StageInput): TextPlaces {
  const texts = createTexts();
  const { conversation, messageId, text, toolCall, result, prompt } = input;
  if (conversation) readConversation(texts, conversation);
  if (messageId !== undefined && text !== undefined) texts.set({ part: 'message', messageId }, text);
  if (toolCall && stage === 'processToolCall')
    texts.set({ part: 'arguments', toolCallId: toolCall.toolCallId }, writeJson(toolCall.args));
  if (toolCall && stage === 'processToolResult')
    texts.set({ part: 'result', toolCallId: toolCall.toolCallId }, writeJson(result));
  if (prompt) texts.set({ part: 'prompt' }, writeJson(prompt));
  return texts.all;
}

function readConversation(texts: OpenTexts, conversation: Conversation): void {
  const select = (source: MessageSource) => selectMessages(conversation, source);
  for (const message of [...select('input'), ...select('response')]) setMessage(texts, message);
  texts.set({ part: 'system' }, conversation.system.map(({ content }) => content).join('\n'));
  texts.set({ part: 'recalled' }, joinTexts(select('remembered')));
  texts.set({ part: 'context' }, joinTexts(select('context')));
}

function readChunks(chunks: readonly Chunk[]): TextPlaces {
  const texts = createTexts();
  for (const { type, payload } of chunks) {
    if (type === 'finish') for (const message of readMessages(payload)) setMessage(texts, message);
    if (type === 'tool-result') setResult(texts, payload, payload.result);
    if (type === 'tool-error') setResult(texts, payload, payload.error);
  }
  return texts.all;
}

const readMessages = ({ messages = [] }: { messages?: readonly unknown[] }): Message[] =>
  messages.flatMap((one) => {
    const { data } = messageSchema.safeParse(one);
    return data ? [data] : [];
  });

function setResult(texts: OpenTexts, call: { toolCallId: string; args?: unknown }, result: unknown): void {
  const { toolCallId, args } = call;
  texts.set({ part: 'result', toolCallId }, writeJson(result));
  if (args !== undefined) texts.set({ part: 'arguments', toolCallId }, writeJson(args));
}

const setMessage = (texts: OpenTexts, message: Message): void =>
  texts.set({ part: 'message', messageId: message.id }, readMessageText(message));

const joinTexts = (messages: readonly Message[]): string => messages.map(readMessageText).join('\n');

type OpenTexts = ReturnType<typeof createTexts>;

function createTexts() {
  const all = new Map<string, { place: TextPlace; text: string }>();
  return {
    all,
    set(place: TextPlace, text: string): void {
      all.set(JSON.stringify([place.part, place.messageId, place.toolCallId]), { place, text });
    },
  };
}

/** One member a line, so that texts are compared member by member. */
const writeJson = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, undefined, 1) ?? '');
