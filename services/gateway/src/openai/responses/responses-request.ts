// The request of a response. Items that a run cannot carry are refused by name.
import {
  MillraceError,
  isObject,
  threadIdSchema,
  type Message,
  type MessagePart,
  type Role,
} from '@millrace/contracts';
import { z } from 'zod';
import type { SettingNames } from '../run-settings.ts';

const contentSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('input_text'), text: z.string() }),
  z.looseObject({ type: z.literal('output_text'), text: z.string() }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
  z.looseObject({ type: z.literal('input_image'), image_url: z.string().min(1) }),
  z.looseObject({ type: z.literal('input_file'), file_data: z.string().min(1), filename: z.string().optional() }),
]);
type Content = z.output<typeof contentSchema>;

const messageItemSchema = z.looseObject({
  type: z.literal('message').default('message'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: z.union([z.string(), z.array(contentSchema)]),
});
const approvalItemSchema = z.looseObject({
  type: z.literal('mcp_approval_response'),
  approval_request_id: z.string(),
  approve: z.boolean(),
  reason: z.string().nullish(),
});
/** Items of earlier responses that a client sends back: the run has them in its thread, or they are no input. */
const outputItemSchema = z.looseObject({
  type: z.enum(['reasoning', 'mcp_call', 'mcp_list_tools', 'mcp_approval_request']),
});
const itemSchema = z.union([messageItemSchema, approvalItemSchema, outputItemSchema], {
  error: 'must be a message, or the answer to an approval request; results of tools are not accepted',
});
type Item = z.output<typeof itemSchema>;

export const responseRequestSchema = z.looseObject({
  model: z.string().min(1),
  input: z.union([z.string().min(1), z.array(itemSchema).min(1).max(2_000)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  background: z.boolean().nullish(),
  store: z.boolean().nullish(),
  previous_response_id: z.string().nullish(),
  conversation: z.union([threadIdSchema, z.looseObject({ id: threadIdSchema })]).nullish(),
  user: z.string().nullish(),
  safety_identifier: z.string().nullish(),
  metadata: z.record(z.string(), z.string()).nullish(),
});
export type ResponseRequest = z.output<typeof responseRequestSchema>;

const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
/** Returns the form of the answer that the request asks for. */
export const readTextFormat = ({ text }: ResponseRequest): unknown => (isObject(text) ? text['format'] : undefined);

const REFUSED: Record<string, (value: unknown) => boolean> = {
  tools: (value) => !isEmptyList(value),
  tool_choice: (value) => value !== 'auto' && value !== 'none',
  prompt: () => true,
};
/** Settings that an agent may open to its callers. */
export const RESPONSE_SETTINGS: SettingNames = {
  temperature: 'temperature',
  top_p: 'topP',
  max_output_tokens: 'maxOutputTokens',
};
/** Settings without an effect. */
export const RESPONSE_IGNORED = ['reasoning', 'parallel_tool_calls', 'service_tier', 'truncation', 'include'];

/** @throws not-built-yet with the member as its path */
export function refuseUnsupported(request: ResponseRequest): void {
  for (const [name, isRefused] of Object.entries(REFUSED)) {
    const value: unknown = request[name];
    if (value === undefined || value === null || !isRefused(value)) continue;
    throw new MillraceError('not-built-yet', `"${name}" is not supported: the agent defines it.`, {
      path: name,
      remedy: `Omit "${name}".`,
    });
  }
}

type ApprovalAnswer = { runId: string; pendingId: string; approved: boolean; reason: string | undefined };

const APPROVAL_ID = /^mcpr_([A-Za-z0-9_-]{1,64})\.([A-Za-z0-9_-]{1,64})$/;

/** Decisions about calls of a suspended run. */
export function listApprovals({ input }: ResponseRequest): ApprovalAnswer[] {
  if (typeof input === 'string') return [];
  return input.filter(isApproval).flatMap((item) => {
    const [, runId, pendingId] = APPROVAL_ID.exec(item.approval_request_id) ?? [];
    if (runId === undefined || pendingId === undefined) return [];
    return [{ runId, pendingId, approved: item.approve, reason: item.reason ?? undefined }];
  });
}

const isApproval = (item: Item): item is z.output<typeof approvalItemSchema> => item.type === 'mcp_approval_response';
const isMessage = (item: Item): item is z.output<typeof messageItemSchema> => item.type === 'message';

type ConvertOptions = { acceptsSystem: boolean; hasThread: boolean };

/** @throws run-refused if no message is left */
export function convertInput(request: ResponseRequest, options: ConvertOptions): Message[] {
  const { input, instructions } = request;
  const given = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input.filter(isMessage);
  const lastAnswer = given.findLastIndex(({ role }) => role === 'assistant');
  const submitted = options.hasThread ? given.slice(lastAnswer + 1) : given;
  if (submitted.length === 0)
    throw new MillraceError('run-refused', 'The request has no new message.', {
      path: 'input',
      remedy: 'In a conversation, add a message of the user after the last answer.',
    });
  const system = instructions ? [{ role: 'system' as const, content: instructions }] : [];
  return [...system, ...submitted].map(({ role, content }) => ({
    id: crypto.randomUUID(),
    role: convertRole(role, options),
    createdAt: new Date().toISOString(),
    content: { format: 2, parts: convertContent(content) },
  }));
}

export const hasSystem = ({ input, instructions }: ResponseRequest): boolean =>
  Boolean(instructions) ||
  (typeof input !== 'string' && input.filter(isMessage).some(({ role }) => role === 'system' || role === 'developer'));

function convertRole(role: 'user' | 'assistant' | 'system' | 'developer', { acceptsSystem }: ConvertOptions): Role {
  if (role === 'system' || role === 'developer') return acceptsSystem ? 'system' : 'user';
  return role;
}

function convertContent(content: string | Content[]): MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) => {
    switch (part.type) {
      case 'input_image':
        return { type: 'file', data: part.image_url, mimeType: readMediaType(part.image_url) ?? 'image/*' };
      case 'input_file':
        return { type: 'file', data: part.file_data, mimeType: readMediaType(part.file_data) ?? 'application/pdf' };
      case 'refusal':
        return { type: 'text', text: part.refusal };
      default:
        return { type: 'text', text: part.text };
    }
  });
}

const readMediaType = (data: string): string | undefined => /^data:([^;,]+)/.exec(data)?.[1];
