// Shortens the old results of tools in a prompt: of equal calls only the last result stays, and of a long result its beginning and its end.
// Pure.
import { isObject, readJson, type JsonObject, type JsonValue, type Prompt } from '@millrace/contracts';
import { writeCall } from '../call-key.ts';
import type { CountedText, TextEnds } from '../token-limiter/count-tokens.ts';
import { readOutputText } from '../token-limiter/message-units.ts';

export type ResultCounts = { shortened: number; repeated: number; characters: number };
export type ShortenedPrompt = ResultCounts & { prompt: Prompt };

/** A text stays if its marker would omit fewer characters: a shortened text is not shortened again. */
const MIN_OMITTED = 200;
/** A text stays if its marker would omit fewer tokens than it has. */
const MARKER_TOKENS = 32;

/** Types of a result that are a text, and the type of the shortened text. Results of other types stay. */
const TEXT_TYPES = new Map<JsonValue, string>([
  ['text', 'text'],
  ['json', 'text'],
  ['error-text', 'error-text'],
  ['error-json', 'error-text'],
]);

export const formatCount = (count: number): string => count.toLocaleString('en-US');

/**
 * @param recentStart index of the message from which on results stay
 * @param counted of the text of each result
 */
export function shortenResults(
  prompt: Prompt,
  recentStart: number,
  ends: TextEnds,
  counted: (text: string) => CountedText | undefined,
): ShortenedPrompt {
  const keys = findCallKeys(prompt);
  const lastResults = findLastResults(prompt, keys);
  const counts = { shortened: 0, repeated: 0, characters: 0 };
  const shortenPart = (part: JsonValue): JsonValue => {
    const output = readResult(part);
    const type = output && TEXT_TYPES.get(output['type'] ?? null);
    if (!isObject(part) || !output || type === undefined) return part;
    const text = readOutputText(output);
    const key = keys.get(part);
    const isRepeated = key !== undefined && (lastResults.get(key) ?? part) !== part;
    // Later results of the call are errors, which replace nothing.
    if (key !== undefined && !isRepeated) lastResults.delete(key);
    const short = isRepeated ? omitRepeated(text, counted(text)) : cutMiddle(text, ends, counted(text));
    if (short === text) return part;
    counts[isRepeated ? 'repeated' : 'shortened'] += 1;
    counts.characters += text.length - short.length;
    return { ...part, output: { ...output, type, value: short } };
  };
  const shortened = prompt.map((message, at) => {
    if (at >= recentStart || message.role !== 'tool' || !Array.isArray(message['content'])) return message;
    const before: JsonValue[] = message['content'];
    const content = before.map(shortenPart);
    return content.every((part, place) => part === before[place]) ? message : { ...message, content };
  });
  return { prompt: shortened, ...counts };
}

function omitRepeated(text: string, counted: CountedText | undefined): string {
  if (!counted || counted.tokens <= MARKER_TOKENS || text.length < MIN_OMITTED) return text;
  return `[… ${formatCount(text.length)} characters omitted: a later call with the same arguments has the result …]`;
}

function cutMiddle(text: string, { head, tail }: TextEnds, counted: CountedText | undefined): string {
  if (!counted || counted.tokens <= head + tail + MARKER_TOKENS) return text;
  const { headEnd, tailStart } = counted;
  const omitted = tailStart - headEnd;
  if (omitted < MIN_OMITTED) return text;
  return `${text.slice(0, headEnd)}\n[… ${formatCount(omitted)} characters omitted …]\n${text.slice(tailStart)}`;
}

function listParts(message: Prompt[number]): JsonObject[] {
  if (!Array.isArray(message['content'])) return [];
  const content: JsonValue[] = message['content'];
  return content.filter((part) => isObject(part));
}

function readResult(part: JsonValue): JsonObject | undefined {
  if (!isObject(part) || part['type'] !== 'tool-result') return undefined;
  return isObject(part['output']) ? part['output'] : undefined;
}

/** Returns the key of the call of each result. An id may occur again in a later turn. */
function findCallKeys(prompt: Prompt): ReadonlyMap<JsonObject, string> {
  const calls = new Map<JsonValue, string>();
  const keys = new Map<JsonObject, string>();
  for (const part of prompt.flatMap(listParts)) {
    const { type, toolCallId = null, toolName, input = null } = part;
    if (type === 'tool-call' && typeof toolName === 'string')
      calls.set(toolCallId, writeCall(readCall(toolName, input)));
    const key = calls.get(toolCallId);
    if (type === 'tool-result' && key !== undefined) keys.set(part, key);
  }
  return keys;
}

/** The arguments are a text if a number in it has more digits than a double. */
function readCall(toolName: string, input: JsonValue): Parameters<typeof writeCall>[0] {
  if (typeof input !== 'string') return { toolName, args: input };
  const read = readJson(input);
  return read ? { toolName, args: read.value, argsText: input } : { toolName, args: input };
}

/** Returns the last result of each call that did not fail. */
function findLastResults(prompt: Prompt, keys: ReadonlyMap<JsonObject, string>): Map<string, JsonObject> {
  const last = new Map<string, JsonObject>();
  for (const part of prompt.flatMap(listParts)) {
    const key = keys.get(part);
    const type = readResult(part)?.['type'];
    if (key !== undefined && (type === 'text' || type === 'json')) last.set(key, part);
  }
  return last;
}
