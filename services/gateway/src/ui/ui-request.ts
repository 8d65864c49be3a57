// The request of useChat: the messages of the page, of which only those after the last answer are new.
import {
  MAX_REQUEST_MESSAGES,
  clientToolsSchema,
  jsonTextSchema,
  jsonValueSchema,
  nameText,
  threadIdSchema,
  type Message,
  type MessagePart,
  type ToolInvocationPart,
} from '@millrace/contracts';
import { z } from 'zod';
import { matchCalls } from '../agents/match-calls.ts';
import { buildStoredId, type SentContent } from '../agents/replaced-messages.ts';
import { MAX_FILENAME, createFilePart } from '../agents/file-part.ts';
import {
  convertRole,
  createMessage,
  createNoMessageError,
  selectNewMessages,
  type ConvertOptions,
} from '../agents/submitted-messages.ts';

/** Maximum length of the id of a message. */
const MAX_ID = 200;
const approvalSchema = z.looseObject({
  id: z.string(),
  approved: z.boolean().optional(),
  reason: z.string().optional(),
});
const partSchema = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  url: z.string().optional(),
  mediaType: z.string().optional(),
  filename: z.string().max(MAX_FILENAME).optional(),
  state: z.string().optional(),
  approval: approvalSchema.optional(),
  toolCallId: z.string().optional(),
  toolName: z.string().optional(),
  input: jsonValueSchema.optional().catch(undefined),
  inputText: jsonTextSchema,
  output: jsonValueSchema.optional().catch(undefined),
  outputText: jsonTextSchema,
  errorText: z.string().optional(),
});
export type UiPart = z.output<typeof partSchema>;

const uiMessageSchema = z.looseObject({
  id: z.string().max(MAX_ID),
  role: z.enum(['system', 'user', 'assistant']),
  metadata: z.looseObject({ runId: z.string().optional() }).nullish().catch(undefined),
  parts: z.array(partSchema).max(10_000),
});
export type UiMessage = z.output<typeof uiMessageSchema>;

export const uiRequestSchema = z.looseObject({
  id: threadIdSchema.describe('id of the chat: the thread of its runs'),
  messages: z.array(uiMessageSchema).min(1).max(MAX_REQUEST_MESSAGES),
  clientTools: clientToolsSchema.optional().describe('tools that the page executes'),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: z
    .string()
    .max(MAX_ID)
    .nullish()
    .describe('the answer that the response continues; default: the last message, if it is an answer'),
});
export type UiRequest = z.output<typeof uiRequestSchema>;

/** @throws run-refused if no message is new, message-invalid for a file */
export function convertUiMessages(messages: readonly UiMessage[], options: ConvertOptions): Message[] {
  const submitted = selectNewMessages(messages, options);
  const taken = new Set<string>();
  const steps = submitted.flatMap(({ id, role, parts }) => {
    const storedId = role === 'user' && options.hasHistory ? buildStoredId(id, readUiContent(parts)) : undefined;
    const isFree = storedId !== undefined && !taken.has(storedId);
    if (isFree) taken.add(storedId);
    return splitSteps(parts).map((own, at) => ({ role, parts: own, id: at === 0 && isFree ? storedId : undefined }));
  });
  const calls = matchCalls(steps.map(({ role, parts }) => ({ role, callIds: parts.filter(isCall).map(readCallId) })));
  const converted = steps.flatMap(({ role, parts, id }, at) => {
    const ids = calls[at]?.values();
    const own = parts.flatMap((part) =>
      isCall(part) ? convertUiCall(part, ids?.next().value?.id) : convertPart(part),
    );
    return own.length === 0 ? [] : [createMessage(convertRole(role, options), own, { id })];
  });
  if (submitted.some(({ role }) => role === 'user') && converted.length > 0) return converted;
  throw createNoMessageError('messages');
}

/** The text of the new messages, as the answer to a question. */
export const readAnswerText = (messages: readonly UiMessage[]): string =>
  selectNewMessages(messages, { hasHistory: true })
    .flatMap(({ parts }) => listTexts(parts))
    .join('\n');

const listTexts = (parts: readonly UiPart[]): string[] =>
  parts.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []));
export const readUiContent = (parts: readonly UiPart[]): SentContent => ({
  text: listTexts(parts).join('\n'),
  files: parts.flatMap(convertPart).flatMap((part) => (part.type === 'file' ? [part.data] : [])),
});

/** Each step is a message of its own, because the model reads the results of a step before the text of the next one. */
function splitSteps(parts: readonly UiPart[]): UiPart[][] {
  const steps: UiPart[][] = [[]];
  for (const part of parts)
    if (part.type === 'step-start') steps.push([]);
    else steps.at(-1)?.push(part);
  return steps;
}

const STATIC_TOOL = /^tool-(.+)$/s;
const isCall = ({ type, state }: UiPart): boolean =>
  (type === 'dynamic-tool' || STATIC_TOOL.test(type)) && state !== 'input-streaming';
const readCallId = ({ toolCallId = '' }: UiPart): string => toolCallId;

/** The run judges the results of earlier answers as it judges a text, because the page may have changed them. */
function convertUiCall(part: UiPart, toolCallId = ''): ToolInvocationPart {
  const {
    type,
    state,
    input = {},
    inputText,
    output = null,
    outputText,
    errorText = 'The tool failed.',
    approval,
  } = part;
  const toolName = part.toolName ?? STATIC_TOOL.exec(type)?.[1] ?? '';
  const call = { toolCallId, toolName, args: input, ...nameText('args', inputText), state: 'result' as const };
  switch (state) {
    case 'output-available':
      return buildCallPart({ ...call, result: output, ...nameText('result', outputText) });
    case 'output-error':
      return buildCallPart({ ...call, result: { error: { code: 'tool-failed', message: errorText } }, isError: true });
    case 'output-denied':
      return buildCallPart({ ...call, result: { reason: approval?.reason ?? 'Denied.' }, denied: true });
    default:
      return buildCallPart({ ...call, state: 'call' });
  }
}

const buildCallPart = (toolInvocation: ToolInvocationPart['toolInvocation']): ToolInvocationPart => ({
  type: 'tool-invocation',
  toolInvocation,
});

function convertPart({ type, text, url, mediaType, filename }: UiPart): MessagePart[] {
  if (type === 'text' && text !== undefined && text !== '') return [{ type: 'text', text }];
  if (type === 'file' && url !== undefined)
    return [
      createFilePart(url, { given: mediaType, filename, otherType: 'application/octet-stream', path: 'messages' }),
    ];
  return [];
}
