// Converts messages to the reference's form `core`: the input of model calls before calls had `input` and results
// `output`. Read-only.
import { listModelParts, type Message, type MessagePart } from '@millrace/contracts';

export function toCoreMessages(messages: readonly Message[]): { role: string; content: object[] }[] {
  return messages.flatMap((message) => {
    const parts = listModelParts(message);
    const results = parts.flatMap(toResultParts);
    const own = { role: message.role, content: parts.flatMap(convertPart) };
    return [own, { role: 'tool', content: results }].filter(({ content }) => content.length > 0);
  });
}

function convertPart(part: MessagePart): object[] {
  switch (part.type) {
    case 'text':
      return [{ type: 'text', text: part.text }];
    case 'reasoning':
      return [{ type: 'reasoning', text: part.reasoning }];
    case 'file':
      return [{ type: 'file', data: part.data, mimeType: part.mimeType }];
    case 'tool-invocation': {
      const { toolCallId, toolName, args } = part.toolInvocation;
      return [{ type: 'tool-call', toolCallId, toolName, args }];
    }
    default:
      return [];
  }
}

function toResultParts(part: MessagePart): object[] {
  if (part.type !== 'tool-invocation' || part.toolInvocation.state !== 'result') return [];
  const { toolCallId, toolName, result = null, isError } = part.toolInvocation;
  return [{ type: 'tool-result', toolCallId, toolName, result, ...(isError && { isError }) }];
}
