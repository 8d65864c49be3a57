// Puts the results of this question's tool calls into sentences.
import { sinceLastUser, type ToolCall, type Turn } from '../conversation.ts';
import { isJsonObject, parsedJson } from '../json.ts';
import { isClockName } from './offered-tools.ts';
import { shortened } from './sentences.ts';

const maxResultCharacters = 400;

export function toolAnswers(turns: readonly Turn[]): string[] {
  const recent = sinceLastUser(turns);
  const calls = new Map(
    recent.flatMap((turn) => (turn.role === 'assistant' ? turn.toolCalls.map((call) => [call.id, call] as const) : [])),
  );
  const sentences = recent.flatMap((turn) =>
    turn.role === 'tool' ? [sentenceFor(calls.get(turn.callId), turn.text)] : [],
  );
  return [...new Set(sentences)];
}

function sentenceFor(call: ToolCall | undefined, text: string): string {
  const result = parsedJson(text) ?? text;
  const name = call?.name ?? 'tool';
  const failure = failureIn(result);
  if (failure !== undefined)
    return `The tool ${name} did not do it: ${closed(shortened(failure, maxResultCharacters))}`;

  const value = shortened(valueIn(result), maxResultCharacters);
  const expression = expressionOf(call);
  if (expression !== undefined) return closed(`${expression} = ${value}`);
  return isClockName(name) ? closed(`It is ${value}`) : closed(`${name} says: ${value}`);
}

const closed = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

/** What a failed or denied call says of itself, in the fields that such results use. */
function failureIn(result: unknown): string | undefined {
  if (typeof result === 'string') return /^(?:error|denied|failed)\b/i.test(result) ? result : undefined;
  if (!isJsonObject(result)) return undefined;
  const error = result['error'];
  if (typeof error === 'string') return error;
  if (isJsonObject(error)) return textOf(error['message'] ?? error['code'] ?? error);
  const isDenied = ['denied', 'failed', 'isError'].some((key) => result[key] === true) || result['status'] === 'denied';
  return isDenied || 'denied' in result ? textOf(result['reason'] ?? result['message'] ?? result['denied']) : undefined;
}

/** The field that holds the value, where a result has one of the usual names or a single field. */
function valueIn(result: unknown): string {
  if (!isJsonObject(result)) return textOf(result);
  const [only, ...others] = Object.values(result);
  if (others.length === 0) return textOf(only ?? '');
  const key = ['result', 'value', 'answer', 'output', 'local', 'formatted', 'text', 'iso', 'now', 'time', 'date'].find(
    (name) => typeof result[name] === 'string' || typeof result[name] === 'number',
  );
  return key === undefined ? textOf(result) : textOf(result[key]);
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Where the call was to a calculator, what it was to calculate. */
function expressionOf(call: ToolCall | undefined): string | undefined {
  const args = parsedJson(call?.arguments ?? '');
  if (!isJsonObject(args)) return undefined;
  return Object.values(args)
    .filter((value) => typeof value === 'string')
    .find((value) => /\d\s*\)*\s*[-+*/%^]/.test(value) && !/[a-z]{3}/i.test(value));
}
