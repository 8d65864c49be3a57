// tool-call-filter: removes tool calls of earlier turns and their results from this run's prompts. Stored messages do
// not change. Calls of the current turn stay, because the model would otherwise repeat them.
import {
  TOOL_NAME_FORMAT,
  isObject,
  listModelParts,
  type JsonValue,
  type Message,
  type Prompt,
} from '@millrace/contracts';
import {
  defineProcessor,
  type ProcessInputArgs,
  type ProcessLLMRequestArgs,
  type ProcessLLMRequestResult,
} from '@millrace/processor';
import { z } from 'zod';

const MAX_NAMES = 1_000;

const options = z.strictObject({
  exclude: z
    .union([z.literal('all'), z.array(z.string().min(1).meta({ format: TOOL_NAME_FORMAT })).max(MAX_NAMES)])
    .default('all')
    .describe('Names of the tools to remove with their calls and results, or all.'),
});
type Filter = (toolName: string) => boolean;

/**
 * Removes old tool calls, which cost tokens and inform the model little, from the prompts of this run only. Stored
 * messages do not change, and the calls of the current turn stay.
 *
 * @verdict continue: with the messages and the prompt without them
 * @cannot Remove calls from a memory.
 * @cannot Remove a call without its result, or a result without its call.
 * @example
 * input:
 *   - memory
 *   - use: tool-call-filter
 *     options: { exclude: [web-search] }
 */
export const toolCallFilter = defineProcessor({
  id: 'tool-call-filter',
  description: 'Removes tool calls of earlier turns and their results from the prompt.',
  aliases: ['ToolCallFilter', 'ToolCallFilterProcessor'],
  stages: ['processInput', 'processLLMRequest'],
  positions: { input: 600 },
  reads: ['remembered', 'prompt'],
  options,
  create({ exclude }) {
    const isExcluded: Filter = (name) => exclude === 'all' || exclude.includes(name);
    return {
      id: 'tool-call-filter',
      processInput: (args) => filterRemembered(isExcluded, args),
      processLLMRequest: (args) => filterPrompt(isExcluded, args),
    };
  },
});

/** Filters remembered messages, so that later processors of the list do not carry them. */
function filterRemembered(isExcluded: Filter, { messageList }: ProcessInputArgs): void {
  for (const message of messageList.get.remembered.db()) {
    const parts = message.content.parts.filter(
      (part) => part.type !== 'tool-invocation' || !isExcluded(part.toolInvocation.toolName),
    );
    if (parts.length === message.content.parts.length) continue;
    const left: Message = { ...message, content: { ...message.content, parts } };
    if (listModelParts(left).some((part) => part.type !== 'step-start')) messageList.replace(left);
    else messageList.removeByIds([message.id]);
  }
}

function filterPrompt(isExcluded: Filter, { prompt }: ProcessLLMRequestArgs): ProcessLLMRequestResult {
  const current = prompt.findLastIndex(({ role }) => role === 'user');
  const left = prompt.flatMap((message, at) => {
    if (at > current || !Array.isArray(message['content'])) return [message];
    const content: JsonValue[] = message['content'];
    const kept = content.filter((part) => !isExcludedPart(isExcluded, part));
    if (kept.length === content.length) return [message];
    return kept.length > 0 ? [{ ...message, content: kept }] : [];
  });
  const isSame = left.length === prompt.length && left.every((message, at) => message === prompt[at]);
  return isSame ? undefined : { prompt: left satisfies Prompt };
}

function isExcludedPart(isExcluded: Filter, part: JsonValue): boolean {
  if (!isObject(part)) return false;
  const { type, toolName } = part;
  return (type === 'tool-call' || type === 'tool-result') && typeof toolName === 'string' && isExcluded(toolName);
}
