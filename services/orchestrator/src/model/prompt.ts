// Builds the provider's prompt (LanguageModelV4) from the conversation. System messages have a fixed order, whatever
// the order in which processors added them: instructions, then others, then working memory, recall, and last the
// feedback of a retry.
import {
  INSTRUCTIONS_TAG,
  hasNameFormat,
  readBaseTag,
  isCallerSystem,
  readMessageText,
  listModelParts,
  readMemoryKey,
  writeWithText,
  type Conversation,
  type MemoryKey,
  type Message,
  type MessagePart,
  type Plan,
  type SystemMessage,
  type Prompt,
} from '@millrace/contracts';
import type { Models } from '@millrace/models';
import { writeOmittedFile } from '../settings/allowed-files.ts';
import { buildReasoningPart } from './reasoning-seal.ts';
import { FEEDBACK_TAG } from '../state/run-state.ts';

export type LanguageModel = ReturnType<Models['createLanguageModel']>;
type ModelStreamResult = Awaited<ReturnType<LanguageModel['doStream']>>;
/** A part of a model's stream. */
export type ModelPart = ModelStreamResult['stream'] extends ReadableStream<infer P> ? P : never;
export type ModelCallOptions = Parameters<LanguageModel['doStream']>[0];
type ProviderPrompt = ModelCallOptions['prompt'];
type PromptMessage = ProviderPrompt[number];
type UserPart = Extract<PromptMessage, { role: 'user' }>['content'][number];
type AssistantPart = Extract<PromptMessage, { role: 'assistant' }>['content'][number];
type StoredFilePart = Extract<MessagePart, { type: 'file' }>;
type ToolPart = Extract<PromptMessage, { role: 'tool' }>['content'][number];

/** Memories whose system messages are last, in this order, whatever the order of the lists. Only the feedback follows. */
const LAST_MEMORIES: readonly MemoryKey[] = ['workingMemory', 'semanticRecall'];

export function buildPrompt({ entries, system }: Conversation, plan: Pick<Plan, 'entries'>): ProviderPrompt {
  const keys = listMemoryKeys(plan);
  return [
    ...system
      .toSorted((one, other) => rank(one, keys) - rank(other, keys))
      .map(({ content }) => ({ role: 'system' as const, content })),
    // The caller's system messages are among the tagged ones.
    ...entries.filter((entry) => !isCallerSystem(entry)).flatMap(({ message }) => toProviderMessages(message)),
  ];
}

/** Returns the memory that each processor implements. A memory tags its system messages with its processor. */
function listMemoryKeys({ entries }: Pick<Plan, 'entries'>): ReadonlyMap<string, MemoryKey> {
  const found = Object.values(entries).flatMap(({ processor, memoryKey }): [string, MemoryKey][] => {
    const key = readMemoryKey(processor, { memoryKey });
    return key ? [[processor, key]] : [];
  });
  return new Map(found);
}

function rank({ tag }: SystemMessage, keys: ReadonlyMap<string, MemoryKey>): number {
  if (tag === INSTRUCTIONS_TAG) return 0;
  if (tag === FEEDBACK_TAG) return 2 + LAST_MEMORIES.length;
  const key = keys.get(readBaseTag(tag));
  return key && LAST_MEMORIES.includes(key) ? 2 + LAST_MEMORIES.indexOf(key) : 1;
}

function toProviderMessages(message: Message): PromptMessage[] {
  const all = listModelParts(message);
  switch (message.role) {
    case 'system':
      return [{ role: 'system', content: readMessageText(message) }];
    case 'user':
      return omitEmpty({ role: 'user', content: all.flatMap(toUserPart), ...nameParticipant(message) });
    case 'assistant':
    case 'tool':
      return [
        ...omitEmpty({ role: 'assistant', content: all.flatMap(toAssistantPart), ...nameParticipant(message) }),
        ...omitEmpty({ role: 'tool', content: all.flatMap(toToolPart) }),
      ];
  }
}

function omitEmpty(message: PromptMessage): PromptMessage[] {
  return message.content.length > 0 ? [message] : [];
}

function toUserPart(part: MessagePart): UserPart[] {
  if (part.type === 'text') return [{ type: 'text', text: part.text }];
  return part.type === 'file' ? [buildFilePart(part)] : [];
}

/** Of the two protocols chat completions have such a name. */
const nameParticipant = ({ name }: Message): Pick<PromptMessage, 'providerOptions'> =>
  hasNameFormat(name) ? { providerOptions: { openai: { name } } } : {};

/** A URL is passed as one; all other data is base64. */
function buildFilePart({ data, mimeType, filename, detail }: StoredFilePart): Extract<UserPart, { type: 'file' }> {
  const url = /^https?:\/\//.test(data) ? new URL(data) : undefined;
  return {
    type: 'file',
    mediaType: mimeType,
    data: url ? { type: 'url', url } : { type: 'data', data },
    ...(filename !== undefined && { filename }),
    ...(detail && { providerOptions: { openai: { imageDetail: detail } } }),
  };
}

/** Reasoning without a signature is not sent back. A text names a file: providers accept none in an answer. */
function toAssistantPart(part: MessagePart): AssistantPart[] {
  if (part.type === 'text') return part.text === '' ? [] : [{ type: 'text', text: part.text }];
  if (part.type === 'file')
    return [{ type: 'text', text: writeOmittedFile(part.mimeType, 'providers accept no files in answers') }];
  if (part.type === 'reasoning') return buildReasoningPart(part);
  if (part.type !== 'tool-invocation') return [];
  const { toolCallId, toolName, args, argsText } = part.toolInvocation;
  // The provider's client sends a text as it is.
  const input = argsText === undefined ? args : writeWithText(args, argsText, `${toolName}.args`);
  return [{ type: 'tool-call', toolCallId, toolName, input }];
}

/** A call without a result (a run that was cut off) gets one: providers refuse a prompt with open calls. */
function toToolPart(part: MessagePart): ToolPart[] {
  if (part.type !== 'tool-invocation') return [];
  const { toolCallId, toolName, state, result = null, resultText, isError, denied } = part.toolInvocation;
  const head = { type: 'tool-result' as const, toolCallId, toolName };
  if (state !== 'result') return [{ ...head, output: { type: 'error-text', value: 'The tool was not executed.' } }];
  if (denied) return [{ ...head, output: { type: 'execution-denied', reason: readDenialReason(result) } }];
  if (typeof result === 'string' && !isError) return [{ ...head, output: { type: 'text', value: result } }];
  if (resultText !== undefined) {
    const value = writeWithText(result, resultText, `${toolName}.result`);
    return [{ ...head, output: { type: isError ? 'error-text' : 'text', value } }];
  }
  return [{ ...head, output: { type: isError ? 'error-json' : 'json', value: result } }];
}

function readDenialReason(result: unknown): string {
  return typeof result === 'object' && result !== null && 'reason' in result ? String(result.reason) : 'Denied.';
}

/** Renames tools in a prompt that are named like a member of Object.prototype. The provider's client looks tool names up in a plain object, finds the inherited member, and sends a call without a name, which the provider refuses: a stored call would fail its thread for good. */
type NamedPart = { toolName: string };

/** Appends `_` to each such name. Applies to the final prompt, so that it covers history, processors and callers alike. */
export function escapeToolNames(prompt: Prompt): Prompt {
  return prompt.map((message) => {
    const { content } = message;
    if (!Array.isArray(content) || !content.some(hasInheritedName)) return message;
    const parts: unknown[] = content;
    return { ...message, content: parts.map((part) => (hasInheritedName(part) ? escapePart(part) : part)) };
  });
}

const escapePart = (part: NamedPart): NamedPart => ({ ...part, toolName: `${part.toolName}_` });

function hasInheritedName(part: unknown): part is NamedPart {
  if (typeof part !== 'object' || part === null || !('toolName' in part)) return false;
  return typeof part.toolName === 'string' && part.toolName in Object.prototype;
}
