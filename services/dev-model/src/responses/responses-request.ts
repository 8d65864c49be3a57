// Parses the body of POST /v1/responses into a model call. Sampling settings have no effect; fields that would change
// the answer and are not implemented are rejected by name. Fields:
// https://platform.openai.com/docs/api-reference/responses/create
import { z } from 'zod';
import { contentField, joinContentText, jsonSchemaField, rejectField } from '../api/parse-body.ts';
import type { AnswerFormat, ServedCall, OfferedChoice, ModelTurn } from '../conversation.ts';

const messageItem = z.object({
  type: z.literal('message'),
  role: z.enum(['system', 'developer', 'user', 'assistant']),
  content: contentField,
});

const itemSchema = z.preprocess(
  // A message can omit its type.
  (item) => (typeof item === 'object' && item !== null && !('type' in item) ? { ...item, type: 'message' } : item),
  z.discriminatedUnion('type', [
    messageItem,
    z.object({
      type: z.literal('function_call'),
      call_id: z.string(),
      name: z.string(),
      arguments: z.string(),
    }),
    z.object({ type: z.literal('function_call_output'), call_id: z.string(), output: contentField }),
    z.object({ type: z.literal('reasoning'), encrypted_content: z.string().nullish() }),
    z.object({ type: z.literal('item_reference'), id: z.string() }),
  ]),
);

type InputItem = z.infer<typeof itemSchema>;

const functionChoice = z.object({ type: z.literal('function'), name: z.string() });

export const responsesRequestSchema = z.object({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(itemSchema).min(1)]),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  store: z.boolean().nullish(),
  include: z.array(z.string()).nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal('function', 'dev-model supports function calls only'),
        name: z.string().min(1),
        description: z.string().nullish(),
        parameters: jsonSchemaField.nullish(),
      }),
    )
    .nullish(),
  tool_choice: z.union([z.enum(['auto', 'none', 'required']), functionChoice]).nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .object({
      format: z
        .discriminatedUnion('type', [
          z.object({ type: z.literal('text') }),
          z.object({ type: z.literal('json_object') }),
          z.object({ type: z.literal('json_schema'), name: z.string(), schema: jsonSchemaField }),
        ])
        .nullish(),
    })
    .nullish(),
  max_output_tokens: z.int().min(1).nullish(),
  previous_response_id: rejectField('dev-model stores no responses: send the conversation as input'),
  conversation: rejectField('dev-model stores no conversations: send the conversation as input'),
  background: z.literal(false, 'dev-model answers in the foreground only').nullish(),
  prompt: rejectField('dev-model has no stored prompts'),
  context_management: rejectField('dev-model does not compact'),
});

export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;

/** `textOfItem` returns the text of an earlier answer by the id of its item. */
export function toResponsesModelCall(
  request: ResponsesRequest,
  textOfItem: (itemId: string) => string | undefined,
): ServedCall {
  const instructions: ModelTurn[] = request.instructions ? [{ role: 'system', text: request.instructions }] : [];
  const turns: ModelTurn[] =
    typeof request.input === 'string'
      ? [{ role: 'user', text: request.input }]
      : request.input.flatMap((item) => toTurns(item, textOfItem));
  return {
    model: request.model,
    stream: request.stream ?? false,
    conversation: {
      turns: [...instructions, ...turns],
      tools: (request.tools ?? []).map((tool) => ({
        name: tool.name,
        description: tool.description ?? '',
        parameters: tool.parameters ?? {},
      })),
      toolChoice: toToolChoice(request.tool_choice),
      parallelToolCalls: request.parallel_tool_calls ?? true,
      format: toAnswerFormat(request.text?.format),
    },
    maxOutputTokens: request.max_output_tokens ?? undefined,
    stopSequences: [],
    conversationField: 'input',
  };
}

function toTurns(item: InputItem, textOfItem: (itemId: string) => string | undefined): ModelTurn[] {
  switch (item.type) {
    case 'message':
      return [buildMessageTurn(item.role, joinContentText(item.content))];
    case 'function_call': {
      const toolCall = { id: item.call_id, name: item.name, arguments: item.arguments };
      return [{ role: 'assistant', text: '', toolCalls: [toolCall] }];
    }
    case 'function_call_output':
      return [{ role: 'tool', callId: item.call_id, text: joinContentText(item.output) }];
    case 'item_reference': {
      // Reasoning is stored as an empty text: a known item without content.
      const text = textOfItem(item.id);
      return text ? [buildMessageTurn('assistant', text)] : [];
    }
    case 'reasoning':
      return [];
  }
}

function buildMessageTurn(role: z.infer<typeof messageItem>['role'], text: string): ModelTurn {
  if (role === 'user') return { role, text };
  return role === 'assistant' ? { role, text, toolCalls: [] } : { role: 'system', text };
}

function toToolChoice(choice: ResponsesRequest['tool_choice']): OfferedChoice {
  return typeof choice === 'object' && choice !== null ? { name: choice.name } : (choice ?? 'auto');
}

function toAnswerFormat(format: NonNullable<ResponsesRequest['text']>['format']): AnswerFormat {
  return format?.type === 'json_schema' ? { type: 'json_schema', schema: format.schema } : (format ?? { type: 'text' });
}
