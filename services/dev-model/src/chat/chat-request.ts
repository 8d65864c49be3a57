// Parses the body of POST /v1/chat/completions into a model call. Sampling settings are accepted and have no effect
// (there is nothing to sample); fields that would change the shape of the answer are rejected by name. Fields:
// https://platform.openai.com/docs/api-reference/chat/create
import { z } from 'zod';
import { contentField, joinContentText, jsonSchemaField, rejectField } from '../api/parse-body.ts';
import type { AnswerFormat, ServedCall, OfferedChoice, ModelTurn } from '../conversation.ts';

const toolCallSchema = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});

const messageSchema = z.discriminatedUnion('role', [
  z.object({ role: z.enum(['system', 'developer']), content: contentField }),
  z.object({ role: z.literal('user'), content: contentField }),
  z.object({
    role: z.literal('assistant'),
    content: contentField.nullish(),
    tool_calls: z.array(toolCallSchema).nullish(),
  }),
  z.object({ role: z.literal('tool'), tool_call_id: z.string(), content: contentField }),
]);

export const chatRequestSchema = z.object({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.object({ include_usage: z.boolean().nullish() }).nullish(),
  tools: z
    .array(
      z.object({
        type: z.literal('function', 'dev-model supports function calls only'),
        function: z.object({
          name: z.string().min(1),
          description: z.string().nullish(),
          parameters: jsonSchemaField.nullish(),
        }),
      }),
    )
    .nullish(),
  tool_choice: z
    .union([
      z.enum(['auto', 'none', 'required']),
      z.object({ type: z.literal('function'), function: z.object({ name: z.string() }) }),
    ])
    .nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: z
    .discriminatedUnion('type', [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({ type: z.literal('json_schema'), json_schema: z.object({ schema: jsonSchemaField }) }),
    ])
    .nullish(),
  max_tokens: z.int().min(1).nullish(),
  max_completion_tokens: z.int().min(1).nullish(),
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  n: z.literal(1, 'dev-model returns one choice').nullish(),
  logprobs: z.literal(false, 'dev-model returns no log probabilities').nullish(),
  modalities: z.array(z.literal('text', 'dev-model returns text only')).nullish(),
  functions: rejectField('superseded by tools'),
  function_call: rejectField('superseded by tool_choice'),
});

export type ChatCompletionRequest = z.infer<typeof chatRequestSchema>;

export function toChatModelCall(request: ChatCompletionRequest): ServedCall {
  return {
    model: request.model,
    stream: request.stream ?? false,
    conversation: {
      turns: request.messages.map(toTurn),
      tools: (request.tools ?? []).map((tool) => ({
        name: tool.function.name,
        description: tool.function.description ?? '',
        parameters: tool.function.parameters ?? {},
      })),
      toolChoice: toToolChoice(request.tool_choice),
      parallelToolCalls: request.parallel_tool_calls ?? true,
      format: toAnswerFormat(request.response_format),
    },
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    stopSequences: [request.stop ?? []].flat().filter((sequence) => sequence !== ''),
    conversationField: 'messages',
  };
}

function toTurn(message: ChatCompletionRequest['messages'][number]): ModelTurn {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: joinContentText(message.content) };
    case 'user':
      return { role: 'user', text: joinContentText(message.content) };
    case 'tool':
      return { role: 'tool', callId: message.tool_call_id, text: joinContentText(message.content) };
    case 'assistant':
      return {
        role: 'assistant',
        text: joinContentText(message.content ?? ''),
        toolCalls: (message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
      };
  }
}

function toToolChoice(choice: ChatCompletionRequest['tool_choice']): OfferedChoice {
  return typeof choice === 'object' && choice !== null ? { name: choice.function.name } : (choice ?? 'auto');
}

function toAnswerFormat(format: ChatCompletionRequest['response_format']): AnswerFormat {
  return format?.type === 'json_schema'
    ? { type: 'json_schema', schema: format.json_schema.schema }
    : (format ?? { type: 'text' });
}
