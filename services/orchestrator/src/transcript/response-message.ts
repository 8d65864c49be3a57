// Builds the response message of a step: its id, the results of its calls, its sources and files.
import {
  isOwnCall,
  nameText,
  type JsonObject,
  type Message,
  type MessagePart,
  type StepResult,
  type ToolResult,
} from '@millrace/contracts';

/** Derived from run and step: a repeated step replaces its message instead of adding one. */
export function buildResponseMessageId(runId: string, stepNumber: number): string {
  return `${runId}.${stepNumber}`;
}

/** @param results in call order: calls with the same provider id take theirs in turn */
export function withResults(message: Message, results: readonly ToolResult[]): Message {
  const left = [...results];
  const parts = message.content.parts.map((part): MessagePart => {
    if (!isOwnCall(part)) return part;
    const at = left.findIndex(({ toolCallId }) => toolCallId === part.toolInvocation.toolCallId);
    const [result] = at < 0 ? [] : left.splice(at, 1);
    if (!result) return part;
    const { args, argsText, resultText, isError, denied } = result;
    const outcome = { result: result.result, ...nameText('result', resultText), isError };
    return {
      ...part,
      toolInvocation: {
        ...part.toolInvocation,
        state: 'result',
        args,
        ...nameText('args', argsText),
        ...outcome,
        ...(denied && { denied }),
      },
    };
  });
  return { ...message, content: { ...message.content, parts } };
}

/** Returns the sources and files of an answer, if any. */
export function pickAttachments({ content }: Message): Pick<StepResult, 'sources' | 'files'> {
  const sources = content.parts.flatMap((part) => (part.type === 'source' ? [toJsonObject(part.source)] : []));
  const files = content.parts.flatMap((part) =>
    part.type === 'file' ? [{ data: part.data, mimeType: part.mimeType }] : [],
  );
  return { ...(sources.length > 0 && { sources }), ...(files.length > 0 && { files }) };
}

const toJsonObject = (value: object): JsonObject => JSON.parse(JSON.stringify(value));
