// Repairs the events of servers that are compatible with OpenAI's chat completions but for some members: calls without an index, content as an
// array of parts, other names for reasoning, roles and finish reasons without a value, errors of another form. The AI SDK rejects these events. Pure.
import { isObject } from '@millrace/contracts';
import { parseMembers, type JsonMembers } from './plain-delta.ts';

/** Returns the JSON text of the event in OpenAI's form; the same text if it has that form. */
export type RepairEvent = (data: string) => string;

/** Returns a function for the events of one stream, in their order. */
export function createChatRepairer(): RepairEvent {
  const readIndex = createCallNumbers();
  return (data) => {
    const event = parseMembers(data);
    const repaired = event && repairEvent(event, readIndex);
    return repaired === undefined || repaired === event ? data : JSON.stringify(repaired);
  };
}

/** Returns the body of an answer that is no stream in OpenAI's form. */
export const repairChatBody: RepairEvent = (text) => createChatRepairer()(text.trimStart());

function repairEvent(event: JsonMembers, readIndex: ReadIndex): JsonMembers {
  const { choices, error, object, message, type, code } = event;
  if (isObject(error)) return event;
  if (object === 'error' && typeof message === 'string') return { error: { message, type, code } };
  // An event with the usage alone.
  if (choices === undefined || choices === null) return 'usage' in event ? { ...event, choices: [] } : event;
  if (!Array.isArray(choices)) return event;
  return replaceChanged(event, { choices: mapChanged(choices, (choice, at) => repairChoice(choice, at, readIndex)) });
}

function repairChoice(choice: unknown, at: number, readIndex: ReadIndex): unknown {
  if (!isObject(choice)) return choice;
  const { index, finish_reason: reason, delta, message } = choice;
  return replaceChanged(choice, {
    index: typeof index === 'number' ? index : at,
    finish_reason: reason === '' ? null : reason,
    delta: isObject(delta) ? repairMessage(delta, readIndex) : delta,
    message: isObject(message) ? repairMessage(message, readIndex) : message,
  });
}

function repairMessage(message: JsonMembers, readIndex: ReadIndex): JsonMembers {
  const { role, content, tool_calls: calls, reasoning, reasoning_content: thought } = message;
  const parts = Array.isArray(content) ? readContentParts(content) : undefined;
  const ownThought = typeof thought === 'string' && thought !== '' ? thought : reasoning;
  return replaceChanged(message, {
    role: role === 'assistant' ? role : undefined,
    // An empty text would end the reasoning part.
    content: parts ? parts.text || (parts.reasoning ? null : '') : content,
    reasoning_content: parts?.reasoning || (typeof ownThought === 'string' && ownThought !== '' ? ownThought : thought),
    tool_calls: Array.isArray(calls) ? mapChanged(calls, (call) => repairCall(call, readIndex)) : calls,
  });
}

function repairCall(call: unknown, readIndex: ReadIndex): unknown {
  if (!isObject(call)) return call;
  const { type } = call;
  return replaceChanged(call, { index: readIndex(call), type: type === '' || type === null ? undefined : type });
}

/** Returns undefined if a part has another form: the SDK rejects the event then, and no text is lost in silence. */
function readContentParts(content: readonly unknown[]): { text: string; reasoning: string } | undefined {
  const read = { text: '', reasoning: '' };
  for (const part of content) {
    if (!isObject(part)) return undefined;
    const { type, text, thinking } = part;
    if (type === 'text' && typeof text === 'string') read.text += text;
    else if (type === 'thinking') {
      const inner = Array.isArray(thinking) ? readContentParts(thinking)?.text : thinking;
      if (typeof inner !== 'string') return undefined;
      read.reasoning += inner;
      // A reference of Mistral numbers the sources of the request, and has no text.
    } else if (type !== 'reference') return undefined;
  }
  return read;
}

type ReadIndex = (call: JsonMembers) => number;

/** Numbers calls without an index by their ids; a piece without both belongs to the last call. */
function createCallNumbers(): ReadIndex {
  const known = new Map<string, number>();
  let last = 0;
  let next = 0;
  return ({ id, index, function: called }) => {
    const hasId = typeof id === 'string' && id !== '';
    const own = hasId ? known.get(id) : undefined;
    const isNew = hasId ? own === undefined : isObject(called) && Boolean(called['name']);
    last = typeof index === 'number' ? index : (own ?? (isNew ? next : last));
    if (hasId) known.set(id, last);
    next = Math.max(next, last + 1);
    return last;
  };
}

/** Returns the same members if no value differs. A member with the value undefined is removed. */
function replaceChanged(members: JsonMembers, others: JsonMembers): JsonMembers {
  const changed = Object.entries(others).filter(([name, value]) => members[name] !== value);
  if (changed.length === 0) return members;
  return { ...members, ...Object.fromEntries(changed) };
}

/** Returns the same array if no item differs. */
function mapChanged(items: readonly unknown[], repair: (item: unknown, at: number) => unknown): readonly unknown[] {
  const repaired = items.map(repair);
  return repaired.every((item, at) => item === items[at]) ? items : repaired;
}
