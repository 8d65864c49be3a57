// prompt-injection: finds attempts to turn the model against its instructions, in the caller's messages and in tool results,
// where indirect ones come in. It judges form, not meaning: it is one layer, not a proof.
import { messageText, type JsonObject, type JsonValue, type Message } from '@millrace/contracts';
import {
  defineProcessor,
  mapStrings,
  type CommonArgs,
  type MessageList,
  type ProcessInputArgs,
  type ProcessToolResultArgs,
} from '@millrace/processor';
import { refuse } from '../guard/refuse.ts';
import { mergeOverlapping, replaceSpans } from '../text/span.ts';
import { LAYERS, createFinder, type Finding } from './find-injections.ts';
import { promptInjectionOptions, type PromptInjectionOptions } from './prompt-injection-options.ts';

export const LEFT_OUT = '[tool result left out: it tried to give instructions]';
export const CUT_OUT = '[removed]';
/** Findings that a report lists; it always counts all of them. */
const MAX_LISTED = 20;

type Guard = { options: PromptInjectionOptions; find(text: string): Finding[] };

export const promptInjection = defineProcessor({
  id: 'prompt-injection',
  description: 'Finds attempts to override instructions in user messages and tool results.',
  aliases: ['InjectionGuard', 'PromptInjectionDetector'],
  stages: ['processInput', 'processToolResult'],
  reads: ['input'],
  options: promptInjectionOptions,
  create(options) {
    const { layers, phrases, patterns } = options;
    const guard = { options, find: createFinder({ layers: layers === 'all' ? LAYERS : layers, phrases, patterns }) };
    return {
      id: 'prompt-injection',
      processInput: (args) => judgeInput(guard, args),
      processToolResult: (args) => judgeToolResult(guard, args),
    };
  },
});

function judgeInput(guard: Guard, args: ProcessInputArgs): void {
  for (const message of messagesToScan(guard, args.messageList)) {
    const found = guard.find(textOf(message));
    if (found.length === 0) continue;
    judge(guard, found, args, { messageId: message.id });
    const rewritten = guard.options.strategy === 'rewrite' ? rewriteMessage(guard, message) : undefined;
    if (rewritten) args.messageList.replace(rewritten);
    else if (guard.options.strategy !== 'warn') args.messageList.removeByIds([message.id]);
  }
}

function judgeToolResult(guard: Guard, args: ProcessToolResultArgs): { result: JsonValue } | undefined {
  const found = guard.find(textsOf(args.result).join('\n'));
  if (found.length === 0) return undefined;
  judge(guard, found, args, { toolCallId: args.toolCall.toolCallId, toolName: args.toolCall.toolName });
  if (guard.options.strategy === 'warn') return undefined;
  const rewritten = mapStrings(args.result, (text) => rewrite(guard, text));
  const isClean = guard.options.strategy === 'rewrite' && guard.find(textsOf(rewritten).join('\n')).length === 0;
  return { result: isClean ? rewritten : LEFT_OUT };
}

/** Reports; throws with strategy block. */
function judge({ options }: Guard, found: Finding[], args: CommonArgs, where: JsonObject): void {
  const rules = [...new Set(found.map(({ layer, rule }) => `${layer}: ${rule}`))];
  const message = `Prompt injection: ${rules.slice(0, MAX_LISTED).join(', ')}.`;
  const findings = found.slice(0, MAX_LISTED).map(({ layer, rule, start, end }) => ({ layer, rule, start, end }));
  const detail = { ...where, count: found.length, findings };
  args.onViolation({ message, strategy: options.strategy, detail });
  if (options.strategy === 'block') refuse(args, options.response, message, detail);
}

/** What has been answered was judged when it was new: a caller that sends its whole history pays for its last turn only. */
function messagesToScan({ options }: Guard, messageList: MessageList): Message[] {
  const input = messageList.get.input.db();
  const users = input.filter((message) => message.role === 'user');
  if (options.scan === 'all') return users;
  const unanswered = input.slice(input.findLastIndex((message) => message.role === 'assistant') + 1);
  return unanswered.some((message) => message.role === 'user')
    ? unanswered.filter((message) => message.role === 'user')
    : users;
}

/** Parts on lines of their own: a phrase may begin in one and end in the next. */
function textOf(message: Message): string {
  const texts = message.content.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length > 0 ? texts.join('\n') : messageText(message);
}

/** undefined where what is left still is an attempt. */
function rewriteMessage(guard: Guard, message: Message): Message | undefined {
  const { parts, content } = message.content;
  const rewritten: Message = {
    ...message,
    content: {
      ...message.content,
      parts: parts.map((part) => (part.type === 'text' ? { ...part, text: rewrite(guard, part.text) } : part)),
      ...(content !== undefined && { content: rewrite(guard, content) }),
    },
  };
  return guard.find(textOf(rewritten)).length === 0 ? rewritten : undefined;
}

const rewrite = ({ find }: Guard, text: string): string =>
  replaceSpans(text, mergeOverlapping(find(text)), () => CUT_OUT);

/** All strings of a result, names included: the model reads those too. */
function textsOf(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return Object.entries(value).flatMap(([name, member]) => [name, ...textsOf(member)]);
}
