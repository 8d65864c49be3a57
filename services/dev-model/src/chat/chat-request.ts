// The body of POST /v1/chat/completions, and the model call that it asks for. Sampling settings are accepted and have
// no effect (there is nothing to sample); what would change the shape of the answer is refused by name.
// Fields: https://platform.openai.com/docs/api-reference/chat/create
import { z } from 'zod';
import { contentField, contentText, jsonSchemaField, refused } from '../api/request-parts.ts';
import type { AnswerFormat, ModelCall, ToolChoice, Turn } from '../conversation.ts';

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
        type: z.literal('function', 'the stand-in can call functions only'),
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
  n: z.literal(1, 'the stand-in gives one choice').nullish(),
  logprobs: z.literal(false, 'the stand-in has no log probabilities').nullish(),
  modalities: z.array(z.literal('text', 'the stand-in answers in text only')).nullish(),
  functions: refused('superseded by tools'),
  function_call: refused('superseded by tool_choice'),
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;

export function chatModelCall(request: ChatRequest): ModelCall {
  return {
    model: request.model,
    stream: request.stream ?? false,
    conversation: {
      turns: request.messages.map(turnOf),
      tools: (request.tools ?? []).map((tool) => ({
        name: tool.function.name,
        description: tool.function.description ?? '',
        parameters: tool.function.parameters ?? {},
      })),
      toolChoice: toolChoiceOf(request.tool_choice),
      parallelToolCalls: request.parallel_tool_calls ?? true,
      format: formatOf(request.response_format),
    },
    maxOutputTokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    stopSequences: [request.stop ?? []].flat().filter((sequence) => sequence !== ''),
    conversationField: 'messages',
  };
}

function turnOf(message: ChatRequest['messages'][number]): Turn {
  switch (message.role) {
    case 'system':
    case 'developer':
      return { role: 'system', text: contentText(message.content) };
    case 'user':
      return { role: 'user', text: contentText(message.content) };
    case 'tool':
      return { role: 'tool', callId: message.tool_call_id, text: contentText(message.content) };
    case 'assistant':
      return {
        role: 'assistant',
        text: contentText(message.content ?? ''),
        toolCalls: (message.tool_calls ?? []).map((call) => ({ id: call.id, ...call.function })),
      };
  }
}

function toolChoiceOf(choice: ChatRequest['tool_choice']): ToolChoice {
  return typeof choice === 'object' && choice !== null ? { name: choice.function.name } : (choice ?? 'auto');
}

function formatOf(format: ChatRequest['response_format']): AnswerFormat {
  return format?.type === 'json_schema'
    ? { type: 'json_schema', schema: format.json_schema.schema }
    : (format ?? { type: 'text' });
}
