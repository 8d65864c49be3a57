// The JSON Schemas of the wire, for processors in other languages. Draft 2020-12.
import { z } from 'zod';
import { agentSchema } from './agent.ts';
import { API } from './api.ts';
import { chunkSchema } from './chunk.ts';
import { conversationSchema, messageOpSchema } from './conversation.ts';
import { processorDescriptorSchema } from './discovery.ts';
import { wireErrorSchema } from './errors.ts';
import { runEventSchema } from './event.ts';
import type { JsonSchema } from './json.ts';
import { messageSchema } from './message.ts';
import { planSchema } from './plan.ts';
import { chunkBatchSchema, commandSchema, runResultSchema } from './run.ts';
import { runStateSchema } from './run-state.ts';
import { sessionInputSchema, sessionOpenedSchema, sessionOpenSchema, sessionOutputSchema } from './session.ts';
import { stageCallSchema, stageReplySchema } from './stage-call.ts';
import { toolReplySchema, toolRequestSchema } from './tool.ts';
import { verdictSchema } from './verdict.ts';

const documents = {
  agent: agentSchema,
  plan: planSchema,
  message: messageSchema,
  conversation: conversationSchema,
  'message-op': messageOpSchema,
  chunk: chunkSchema,
  'chunk-batch': chunkBatchSchema,
  verdict: verdictSchema,
  'stage-call': stageCallSchema,
  'stage-reply': stageReplySchema,
  'session-open': sessionOpenSchema,
  'session-opened': sessionOpenedSchema,
  'session-input': sessionInputSchema,
  'session-output': sessionOutputSchema,
  'tool-request': toolRequestSchema,
  'tool-reply': toolReplySchema,
  'processor-descriptor': processorDescriptorSchema,
  'run-state': runStateSchema,
  'run-event': runEventSchema,
  'run-result': runResultSchema,
  command: commandSchema,
  error: wireErrorSchema,
} satisfies Record<string, z.ZodType>;

/** Schemas by document name; the api's as `api.<verb>.request` and `api.<verb>.answer`. */
export function jsonSchemas(): Record<string, JsonSchema> {
  const api = Object.entries(API).flatMap(([verb, { request, answer }]) => [
    [`api.${verb}.request`, toJsonSchema(request)] as const,
    [`api.${verb}.answer`, toJsonSchema(answer)] as const,
  ]);
  const wire = Object.entries(documents).map(([name, schema]) => [name, toJsonSchema(schema)] as const);
  return Object.fromEntries([...wire, ...api]);
}

/** What zod cannot say in JSON Schema (any JSON value) becomes the empty schema, which takes everything. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const document = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return JSON.parse(JSON.stringify(document));
}
