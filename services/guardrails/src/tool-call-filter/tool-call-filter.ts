// tool-call-filter: takes tool calls with their results out of what a model is shown of earlier turns. For this run's calls only:
// nothing that is stored changes. Those of the turn that is under way stay, or the model would make them again and again.
import { modelParts, type JsonValue, type Message, type Prompt } from '@millrace/contracts';
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
    .union([z.literal('all'), z.array(z.string().min(1)).max(MAX_NAMES)])
    .default('all')
    .describe('the tools whose calls go, by name, or all'),
});
type Filter = (toolName: string) => boolean;

/**
 * Old tool calls cost tokens and tell the model little. They are left out for this run's model calls only: nothing that is stored
 * changes, and the calls of the turn that is under way stay.
 *
 * @verdict continue: with the messages and the prompt without them
 * @cannot Remove calls from a memory.
 * @cannot Leave out a call without its result, or a result without its call.
 * @example
 * input:
 *   - memory
 *   - use: tool-call-filter
 *     options: { exclude: [web-search] }
 */
export const toolCallFilter = defineProcessor({
  id: 'tool-call-filter',
  description: 'Leaves tool calls of earlier turns and their results out of what the model is shown.',
  aliases: ['ToolCallFilter', 'ToolCallFilterProcessor'],
  stages: ['processInput', 'processLLMRequest'],
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

/** What memory brought: later processors of the list need not carry it either. */
function filterRemembered(isExcluded: Filter, { messageList }: ProcessInputArgs): void {
  for (const message of messageList.get.remembered.db()) {
    const parts = message.content.parts.filter(
      (part) => part.type !== 'tool-invocation' || !isExcluded(part.toolInvocation.toolName),
    );
    if (parts.length === message.content.parts.length) continue;
    const left: Message = { ...message, content: { ...message.content, parts } };
    if (modelParts(left).some((part) => part.type !== 'step-start')) messageList.replace(left);
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
  if (typeof part !== 'object' || part === null || Array.isArray(part)) return false;
  const { type, toolName } = part;
  return (type === 'tool-call' || type === 'tool-result') && typeof toolName === 'string' && isExcluded(toolName);
}
