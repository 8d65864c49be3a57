// Maps the texts of a message that a guard judges or rewrites: text and reasoning parts, the arguments and results of
// tool calls.
import type { Message, MessagePart } from '@millrace/contracts';
import { mapStrings } from './map-strings.ts';

/** Returns the message with every text mapped; the same object if nothing changed. */
export function mapMessageText(message: Message, map: (text: string) => string): Message {
  const parts = message.content.parts.map((part) => mapPart(part, map));
  const flat = message.content.content;
  const content = flat === undefined ? undefined : map(flat);
  if (content === flat && parts.every((part, at) => part === message.content.parts[at])) return message;
  return { ...message, content: { ...message.content, parts, ...(content !== undefined && { content }) } };
}

function mapPart(part: MessagePart, map: (text: string) => string): MessagePart {
  switch (part.type) {
    case 'text': {
      const text = map(part.text);
      return text === part.text ? part : { ...part, text };
    }
    case 'reasoning': {
      const reasoning = map(part.reasoning);
      return reasoning === part.reasoning ? part : { ...part, reasoning };
    }
    case 'tool-invocation': {
      const { args, result } = part.toolInvocation;
      const mapped = mapStrings({ args, result }, map);
      if (mapped.args === args && mapped.result === result) return part;
      return { ...part, toolInvocation: { ...part.toolInvocation, ...mapped } };
    }
    default:
      return part;
  }
}

/**
 * Trims every line, drops empty lines and indents all but the first, so that no line of a message can imitate the first
 * line of another one. Takes linear time for any text.
 */
export function indentLines(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter((line) => line !== '').join('\n  ');
}
