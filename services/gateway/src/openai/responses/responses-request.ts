// The request of a response. Items that a run cannot carry are refused by name.
import { isObject, threadIdSchema, type Message, type MessagePart } from '@millrace/contracts';
import { z } from 'zod';
import {
  convertRole,
  createFilePart,
  createMessage,
  createNoMessageError,
  isSystemRole,
  selectNewMessages,
  type ConvertOptions,
} from '../../agents/submitted-messages.ts';
import { isEmptyList, type RefusedMembers } from '../refuse-members.ts';
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
export const approvalItemSchema = z.looseObject({
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
export type Item = z.output<typeof itemSchema>;

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

/** Returns the form of the answer that the request asks for. */
export const readTextFormat = ({ text }: ResponseRequest): unknown => (isObject(text) ? text['format'] : undefined);

const DEFINED = 'The agent defines it.';

export const RESPONSE_REFUSED: RefusedMembers = {
  tools: { accepts: isEmptyList, reason: DEFINED },
  tool_choice: { accepts: (value) => value === 'auto' || value === 'none', reason: DEFINED },
  prompt: { accepts: () => false, reason: DEFINED },
};
/** Settings that an agent may open to its callers. */
export const RESPONSE_SETTINGS: SettingNames = {
  temperature: 'temperature',
  top_p: 'topP',
  max_output_tokens: 'maxOutputTokens',
};
/** Settings without an effect. */
export const RESPONSE_IGNORED = ['reasoning', 'parallel_tool_calls', 'service_tier', 'truncation', 'include'];

const isMessage = (item: Item): item is z.output<typeof messageItemSchema> => item.type === 'message';

type GivenMessage = Pick<z.output<typeof messageItemSchema>, 'role' | 'content'>;

/** @throws run-refused if no message is left */
export function convertInput({ input, instructions }: ResponseRequest, options: ConvertOptions): Message[] {
  const given = typeof input === 'string' ? [{ role: 'user' as const, content: input }] : input.filter(isMessage);
  const submitted = selectNewMessages<GivenMessage>(given, options);
  if (submitted.length === 0) throw createNoMessageError('input');
  const system = instructions ? [{ role: 'system' as const, content: instructions }] : [];
  return [...system, ...submitted].map(({ role, content }) =>
    createMessage(convertRole(role, options), convertContent(content)),
  );
}

export const hasSystem = ({ input, instructions }: ResponseRequest): boolean =>
  Boolean(instructions) ||
  (typeof input !== 'string' && input.filter(isMessage).some(({ role }) => isSystemRole(role)));

function convertContent(content: string | Content[]): MessagePart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map((part) => {
    switch (part.type) {
      case 'input_image':
        return createFilePart(part.image_url, 'image/*');
      case 'input_file':
        return createFilePart(part.file_data, 'application/pdf');
      case 'refusal':
        return { type: 'text', text: part.refusal };
      default:
        return { type: 'text', text: part.text };
    }
  });
}
