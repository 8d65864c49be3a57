// Exports the JSON Schemas (draft 2020-12) of the wire, for processors and clients in other languages. One document
// with a definition for each name; a schema refers to the named schemas that it uses.
import { z } from 'zod';
import { agentEntrySchema, agentSchema, groupObjectSchema } from '../agent/agent.ts';
import { API, apiReplySchema } from './api.ts';
import { changesSchema } from '../message/changes.ts';
import { chunkSchema } from '../chunk/chunk.ts';
import { conversationSchema, entrySchema, messageOpSchema, systemMessageSchema } from '../message/conversation.ts';
import {
  endpointLoadSchema,
  endpointMetadataSchema,
  serviceLimitsSchema,
  processorDescriptorSchema,
  srvInfoSchema,
  srvPingSchema,
  srvStatsSchema,
} from '../agent/discovery.ts';
import { wireErrorSchema } from '../base/errors.ts';
import { publicRunEventSchema, runEventSchema } from '../run/event.ts';
import {
  exchangeReplySchema,
  exchangeRequestSchema,
  identitySchema,
  revokedKeySchema,
  verifyReplySchema,
  verifyRequestSchema,
} from './identity.ts';
import { forgetReplySchema, forgetRequestSchema } from './forget.ts';
import type { JsonObject, JsonSchema, JsonValue } from '../base/json.ts';
import { threadSchema } from './memory-api.ts';
import { messagePartSchema, messageSchema } from '../message/message.ts';
import { promptSchema, stepResultSchema } from '../message/model.ts';
import { appliedAgentSchema, overridableSchema, planEntrySchema, planSchema } from '../agent/plan.ts';
import { publicAgentSchema } from '../agent/public-agent.ts';
import { runHeadSchema } from '../run/run-head.ts';
import { recordSchema, runStateSchema } from '../run/run-state.ts';
import { chunkBatchSchema, liveBatchSchema } from '../chunk/chunk-batch.ts';
import { cancelCallSchema, commandSchema, controlSchema, runRequestSchema, runResultSchema } from '../run/run.ts';
import { sessionInputSchema, sessionOpenedSchema, sessionOpenSchema, sessionOutputSchema } from '../session/session.ts';
import { stageCallSchema, stageInputSchema, stageReplySchema } from '../stage/stage-call.ts';
import { pendingSchema, suspensionSchema } from '../chunk/suspension.ts';
import { toolReplySchema, toolRequestSchema } from '../tool/tool.ts';
import { publicViolationSchema, verdictSchema, violationSchema } from '../stage/verdict.ts';

const WIRE: Record<string, z.ZodType> = {
  agent: agentSchema,
  'agent-entry': agentEntrySchema,
  'agent-group': groupObjectSchema,
  'applied-agent': appliedAgentSchema,
  'public-agent': publicAgentSchema,
  plan: planSchema,
  'plan-entry': planEntrySchema,
  overridable: overridableSchema,
  message: messageSchema,
  'message-part': messagePartSchema,
  conversation: conversationSchema,
  'conversation-entry': entrySchema,
  'system-message': systemMessageSchema,
  'message-op': messageOpSchema,
  prompt: promptSchema,
  changes: changesSchema,
  chunk: chunkSchema,
  'chunk-batch': chunkBatchSchema,
  'live-batch': liveBatchSchema,
  verdict: verdictSchema,
  violation: violationSchema,
  'public-violation': publicViolationSchema,
  'stage-call': stageCallSchema,
  'stage-input': stageInputSchema,
  'stage-reply': stageReplySchema,
  'session-open': sessionOpenSchema,
  'session-opened': sessionOpenedSchema,
  'session-input': sessionInputSchema,
  'session-output': sessionOutputSchema,
  'tool-request': toolRequestSchema,
  'tool-reply': toolReplySchema,
  'processor-descriptor': processorDescriptorSchema,
  'endpoint-metadata': endpointMetadataSchema,
  'service-limits': serviceLimitsSchema,
  'endpoint-load': endpointLoadSchema,
  'srv-ping': srvPingSchema,
  'srv-info': srvInfoSchema,
  'srv-stats': srvStatsSchema,
  'run-request': runRequestSchema,
  'run-state': runStateSchema,
  'run-head': runHeadSchema,
  'run-record': recordSchema,
  'run-event': runEventSchema,
  'public-run-event': publicRunEventSchema,
  'run-result': runResultSchema,
  'step-result': stepResultSchema,
  command: commandSchema,
  control: controlSchema,
  pending: pendingSchema,
  suspension: suspensionSchema,
  'cancel-call': cancelCallSchema,
  'forget-request': forgetRequestSchema,
  'forget-reply': forgetReplySchema,
  thread: threadSchema,
  'api-reply': apiReplySchema,
  identity: identitySchema,
  'verify-request': verifyRequestSchema,
  'verify-reply': verifyReplySchema,
  'exchange-request': exchangeRequestSchema,
  'exchange-reply': exchangeReplySchema,
  'revoked-key': revokedKeySchema,
  error: wireErrorSchema,
};

/** The schemas above, and `api.<verb>.request` and `api.<verb>.answer` for each verb. */
const named: readonly (readonly [name: string, schema: z.ZodType])[] = [
  ...Object.entries(WIRE),
  ...Object.entries(API).flatMap(([verb, { request, answer }]) => [
    [`api.${verb}.request`, request] as const,
    [`api.${verb}.answer`, answer] as const,
  ]),
];

export const SCHEMA_NAMES: readonly string[] = named.map(([name]) => name);

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const PREFIX = '#/$defs/';

/** Returns the schema of one name with its references, or all schemas. Undefined if the name is unknown. */
export function buildJsonSchemas(name?: string): JsonSchema | undefined {
  const all = (made ??= listDefinitions());
  if (name === undefined) return { $schema: DIALECT, $defs: all };
  if (!Object.hasOwn(all, name)) return undefined;
  const used = new Set([name]);
  // The set grows during the iteration, and added names are iterated too.
  for (const one of used) for (const other of listReferences(all[one])) used.add(other);
  const $defs = Object.fromEntries([...used].toSorted().flatMap((one) => (all[one] ? [[one, all[one]]] : [])));
  return { $schema: DIALECT, $ref: `${PREFIX}${name}`, $defs };
}

let made: JsonObject | undefined;

function listDefinitions(): JsonObject {
  const registry = z.registry<{ id: string }>();
  const aliases: JsonObject = {};
  for (const [id, schema] of named) {
    const known = registry.get(schema)?.id;
    if (known === undefined) registry.add(schema, { id });
    else aliases[id] = { $ref: `${PREFIX}${known}` };
  }
  const { schemas } = z.toJSONSchema(registry, { ...OPTIONS, uri: (id) => `${PREFIX}${id}` });
  const plain = Object.entries(schemas).map(([id, { $id: _id, $schema: _schema, ...rest }]) => [id, asJson(rest)]);
  return { ...Object.fromEntries(plain), ...aliases };
}

function listReferences(value: JsonValue | undefined): string[] {
  if (Array.isArray(value)) return value.flatMap(listReferences);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) =>
    key === '$ref' && typeof member === 'string' ? [member.slice(PREFIX.length)] : listReferences(member),
  );
}

/** Types that JSON Schema cannot express (any JSON value) become the empty schema, which accepts everything. */
const OPTIONS = { io: 'input', unrepresentable: 'any' } as const;

/** Converts an unnamed schema, such as the options of a processor. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  return asJson(z.toJSONSchema(schema, OPTIONS));
}

const asJson = (value: object): JsonSchema => JSON.parse(JSON.stringify(value));
