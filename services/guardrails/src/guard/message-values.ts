// Everything in a message that a model, a client or a store may read: what a guard judges, and may replace. Ids, roles and the
// bytes of files stay.
import type { JsonValue, Message, MessagePart } from '@millrace/contracts';

/** @param kind text: what the message says itself; data: of tool calls, sources and files */
export type MapValue = (value: JsonValue, kind: 'text' | 'data') => JsonValue;

/** The message with every such value mapped; the same message when nothing changed. */
export function mapMessage(message: Message, map: MapValue): Message {
  const { content } = message;
  const parts = content.parts.map((part) => mapPart(part, map));
  const flat = content.content === undefined ? undefined : textOf(map(content.content, 'text'));
  if (flat === content.content && parts.every((part, at) => part === content.parts[at])) return message;
  return { ...message, content: { ...content, parts, ...(flat !== undefined && { content: flat }) } };
}

function mapPart(part: MessagePart, map: MapValue): MessagePart {
  switch (part.type) {
    case 'text': {
      const text = textOf(map(part.text, 'text'));
      return text === part.text ? part : { ...part, text };
    }
    case 'reasoning': {
      const reasoning = textOf(map(part.reasoning, 'text'));
      return reasoning === part.reasoning ? part : { ...part, reasoning };
    }
    case 'tool-invocation': {
      const { toolInvocation } = part;
      const judged = mapMembers(toolInvocation, ['toolName', 'args', 'result'], map);
      return judged === toolInvocation ? part : { ...part, toolInvocation: judged };
    }
    case 'source': {
      const source = mapMembers(part.source, ['title', 'url', 'filename'], map);
      return source === part.source ? part : { ...part, source };
    }
    case 'file':
      return mapMembers(part, ['filename'], map);
    default:
      return part;
  }
}

/** Members that are there, mapped; the same object when nothing changed. */
function mapMembers<T extends object>(object: T, names: readonly string[], map: MapValue): T {
  const changed = Object.entries(object).flatMap(([name, value]: [string, JsonValue | undefined]) => {
    if (value === undefined || !names.includes(name)) return [];
    const mapped = map(value, 'data');
    return mapped === value ? [] : [[name, mapped] as const];
  });
  return changed.length === 0 ? object : { ...object, ...Object.fromEntries(changed) };
}

/** A text that is mapped stays a text. */
const textOf = (value: JsonValue): string => (typeof value === 'string' ? value : JSON.stringify(value));
