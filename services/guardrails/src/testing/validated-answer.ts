// Builds a step's answer for response-validator.
import type { JsonObject } from '@millrace/contracts';
import { MessageList } from '@millrace/processor';
import { inputArgs, stepArgs } from '@millrace/testkit';
import { responseValidator } from '../guards/response-validator/response-validator.ts';

export const answerArgs = (answer: string, { asked = 'hi', retryCount = 0, toolCalls = 0 } = {}) => ({
  ...stepArgs(answer),
  messageList: new MessageList({ entries: buildInputEntries(asked), system: [] }, 'response'),
  retryCount,
  toolCalls: Array.from({ length: toolCalls }, () => ({ toolCallId: '1', toolName: 'notes', args: {} })),
});
const buildInputEntries = (text: string) =>
  inputArgs([text])
    .messageList.get.input.db()
    .map((message) => ({ source: 'input' as const, message }));
export const validate = (options: JsonObject, args: ReturnType<typeof answerArgs>) =>
  responseValidator.create(responseValidator.options.parse(options)).processOutputStep?.(args);
