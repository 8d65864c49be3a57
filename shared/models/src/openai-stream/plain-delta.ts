// Recognizes the events of OpenAI's two streams and of Anthropic's that only append a text to an open part: text of chat completions, text and
// summaries of reasoning of responses, text and thinking of messages. By allow-list: an event with another member that has a value is no plain delta. Pure.
import { isObject } from '@millrace/contracts';

export type PlainDelta = {
  /** Two deltas of one key append to the same part, and differ in nothing else that a client of the provider reads. */
  key: string;
  text: string;
  /** The same event with another text, as JSON. */
  withText(text: string): string;
};

/** UTF-16 code units; longer events are left to the provider's client. */
export const MAX_EVENT_CHARS = 16 * 1024;

export type JsonMembers = Readonly<Record<string, unknown>>;

/** @param data the JSON text of an event. undefined: no plain delta */
export type ReadDelta = (data: string) => PlainDelta | undefined;

export const readChatDelta: ReadDelta = (data) => {
  const event = parseShort(data);
  return event && matchChatDelta(event);
};

export const readResponsesDelta: ReadDelta = (data) => {
  const event = parseShort(data);
  return event && matchResponsesDelta(event);
};

export const readMessagesDelta: ReadDelta = (data) => {
  const event = parseShort(data);
  return event && matchMessagesDelta(event);
};

const parseShort = (data: string): JsonMembers | undefined =>
  data.length > MAX_EVENT_CHARS ? undefined : parseMembers(data);

/** Returns undefined for a text that is no JSON object. */
export function parseMembers(data: string): JsonMembers | undefined {
  // `[DONE]` ends each stream, and the error of parsing it would cost as much as five deltas.
  if (!data.startsWith('{')) return undefined;
  try {
    const event: unknown = JSON.parse(data);
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}

const CHAT_MEMBERS = new Set([
  'id',
  'object',
  'created',
  'model',
  'system_fingerprint',
  'service_tier',
  'choices',
  'obfuscation',
]);
const CHOICE_MEMBERS = new Set(['index', 'delta']);
const DELTA_MEMBERS = new Set(['content', 'role']);

function matchChatDelta(event: JsonMembers): PlainDelta | undefined {
  const { choices, id, model, created } = event;
  if (!Array.isArray(choices) || choices.length !== 1 || !hasOnly(event, CHAT_MEMBERS)) return undefined;
  const choice: unknown = choices[0];
  if (!isObject(choice) || !hasOnly(choice, CHOICE_MEMBERS)) return undefined;
  const { delta, index } = choice;
  if (typeof index !== 'number' || !isObject(delta) || !hasOnly(delta, DELTA_MEMBERS)) return undefined;
  const { content, role = 'assistant' } = delta;
  if (typeof content !== 'string' || content === '' || role !== 'assistant') return undefined;
  return {
    key: JSON.stringify(['chat', index, created, id, model]),
    text: content,
    withText: (text) => JSON.stringify({ ...event, choices: [{ ...choice, delta: { ...delta, content: text } }] }),
  };
}

/** By event type, the member that numbers the piece of its item. */
const RESPONSES_PIECES: ReadonlyMap<unknown, string> = new Map([
  ['response.output_text.delta', 'content_index'],
  ['response.reasoning_summary_text.delta', 'summary_index'],
]);
const RESPONSES_MEMBERS = new Set([
  'type',
  'item_id',
  'output_index',
  'content_index',
  'summary_index',
  'delta',
  'logprobs',
  'sequence_number',
  'obfuscation',
]);

function matchResponsesDelta(event: JsonMembers): PlainDelta | undefined {
  const { type, delta, logprobs, item_id, output_index } = event;
  const piece = RESPONSES_PIECES.get(type);
  if (piece === undefined || typeof delta !== 'string' || delta === '') return undefined;
  if (!hasOnly(event, RESPONSES_MEMBERS) || hasLogprobs(logprobs)) return undefined;
  return {
    key: JSON.stringify([type, output_index, event[piece], item_id]),
    text: delta,
    withText: (text) => JSON.stringify({ ...event, delta: text }),
  };
}

const hasLogprobs = (logprobs: unknown): boolean =>
  logprobs !== undefined && logprobs !== null && !(Array.isArray(logprobs) && logprobs.length === 0);

/** By type of the delta, the member with its text. */
const MESSAGES_TEXTS: ReadonlyMap<unknown, string> = new Map([
  ['text_delta', 'text'],
  ['thinking_delta', 'thinking'],
]);
const MESSAGES_MEMBERS = new Set(['type', 'index', 'delta']);

function matchMessagesDelta(event: JsonMembers): PlainDelta | undefined {
  const { type, index, delta } = event;
  if (type !== 'content_block_delta' || typeof index !== 'number' || !isObject(delta)) return undefined;
  const name = MESSAGES_TEXTS.get(delta['type']) ?? '';
  const text = delta[name];
  if (typeof text !== 'string' || text === '') return undefined;
  if (!hasOnly(event, MESSAGES_MEMBERS) || !hasOnly(delta, new Set(['type', name]))) return undefined;
  return {
    key: JSON.stringify([name, index]),
    text,
    withText: (other) => JSON.stringify({ ...event, delta: { ...delta, [name]: other } }),
  };
}

/** A member without a value is as good as absent. */
function hasOnly(members: JsonMembers, allowed: ReadonlySet<string>): boolean {
  for (const name in members) if (!allowed.has(name) && members[name] !== null) return false;
  return true;
}
