// pii: finds personal data in the caller's messages, the model's stream, tool results and the final answer. What it lets through
// is the same however the model's text is cut into chunks.
import type { JsonValue } from '@millrace/contracts';
import {
  defineProcessor,
  mapMessageText,
  type ProcessInputArgs,
  type ProcessOutputResultArgs,
  type ProcessOutputStreamArgs,
  type ProcessToolResultArgs,
} from '@millrace/processor';
import { guardStream } from '../guard/guard-stream.ts';
import { userMessages } from '../guard/user-messages.ts';
import { createJudge, type Judge } from './judge.ts';
import { mapKeyedValues, mapToolInvocations } from './keyed-values.ts';
import { settledLength } from './map-hits.ts';
import { piiOptions } from './pii-options.ts';

export const LEFT_OUT = '[tool result left out: it held personal data]';

export const pii = defineProcessor({
  id: 'pii',
  description: 'Finds personal data in input, answer and tool results, and redacts or refuses it.',
  aliases: ['PIIDetector'],
  stages: ['processInput', 'processOutputStream', 'processToolResult', 'processOutputResult'],
  reads: ['input', 'response'],
  options: piiOptions,
  create(options) {
    const judge = createJudge(options);
    const settled = (text: string) => settledLength(text, options);
    return {
      id: 'pii',
      processInput: (args) => judgeInput(judge, args),
      processOutputStream: (args) => judgeStream(judge, settled, args),
      processToolResult: (args) => judgeToolResult(judge, args),
      processOutputResult: (args) => judgeAnswer(judge, args),
    };
  },
});

function judgeInput(judge: Judge, args: ProcessInputArgs): void {
  for (const message of userMessages(args.messageList)) {
    const judged = mapMessageText(message, (text) => judge.text(text, args, { messageId: message.id }));
    if (judged === message) continue;
    if (judge.leavesOut) args.messageList.removeByIds([message.id]);
    else args.messageList.replace(judged);
  }
}

function judgeStream(judge: Judge, settled: (text: string) => number, args: ProcessOutputStreamArgs) {
  const apply = (text: string) => judge.text(text, args, { chunk: args.part.type });
  return guardStream(args, { settled, apply }, { mapToolValue: (value) => mapKeyedValues(value, apply) });
}

function judgeToolResult(judge: Judge, args: ProcessToolResultArgs): { result: JsonValue } | undefined {
  const where = { toolCallId: args.toolCall.toolCallId };
  const result = mapKeyedValues(args.result, (text) => judge.text(text, args, where));
  if (result === args.result) return undefined;
  return { result: judge.leavesOut ? LEFT_OUT : result };
}

function judgeAnswer(judge: Judge, args: ProcessOutputResultArgs): void {
  for (const message of args.messageList.get.response.db()) {
    const apply = (text: string) => judge.text(text, args, { messageId: message.id });
    const judged = mapMessageText(mapToolInvocations(message, apply), apply);
    if (judged !== message) args.messageList.replace(judged);
  }
}
