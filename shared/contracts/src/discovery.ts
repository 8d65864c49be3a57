// NATS services protocol (ADR-32): what $SRV.PING, INFO and STATS answer, and what Millrace puts into an endpoint's metadata.
// Metadata values are strings there, so the descriptor travels as JSON under one key.
import { z } from 'zod';
import { onFailureSchema } from './agent.ts';
import { jsonSchemaSchema } from './json.ts';
import { toolDefinitionSchema } from './model.ts';
import { listSchema, readsByStageSchema, stageSchema } from './stage.ts';
import { stageChangesSchema } from './stage-changes.ts';
import { timeoutMsSchema } from './timeout.ts';
import { tokenSchema } from './tokens.ts';

/** What a processor says of itself. `aliases`: the names that other frameworks use. */
export const processorDescriptorSchema = z.object({
  id: tokenSchema,
  name: z.string().max(100).optional().describe('to be shown; its id if absent'),
  description: z.string(),
  version: z.string(),
  stages: z.array(stageSchema).min(1),
  reads: readsByStageSchema,
  changes: stageChangesSchema.optional().describe('whether it may change what it judges; what is not named may be'),
  processDataParts: z.boolean(),
  processCutOff: z.boolean().optional().describe('processLLMResponse is told of model calls that were cut off, too'),
  rewritesAnswers: z.boolean().optional().describe('processOutputStep gives other texts than it was given'),
  optionsSchema: jsonSchemaSchema,
  aliases: z.array(z.string()).default([]),
  /** The list and place that `after`/`before` count from where the agent does not list it. */
  lists: z.array(listSchema).min(1),
  policy: z.object({
    timeoutMs: timeoutMsSchema,
    attempts: z.number().int().positive(),
    onFailure: onFailureSchema,
  }),
});
export type ProcessorDescriptor = z.infer<typeof processorDescriptorSchema>;

export const METADATA_KEY = 'millrace';

/** What stands, as JSON, under METADATA_KEY of an endpoint. */
export const endpointMetadataSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('processor'), descriptor: processorDescriptorSchema, stage: stageSchema }),
  z.object({ kind: z.literal('tool'), tool: toolDefinitionSchema }),
  z.object({ kind: z.literal('api') }),
]);
export type EndpointMetadata = z.infer<typeof endpointMetadataSchema>;

/** What stands, as JSON, under METADATA_KEY of the service itself: how many calls and sessions one replica takes at once. */
export const serviceLimitsSchema = z.object({ maxCalls: z.number().int().min(1).optional() });
export type ServiceLimits = z.infer<typeof serviceLimitsSchema>;

/** The `data` of an endpoint in $SRV.STATS: what is under way there now, sessions among it, and what the replica takes in all. */
export const endpointLoadSchema = z.object({ calls: z.number().int().min(0), maxCalls: z.number().int().min(1) });
export type EndpointLoad = z.infer<typeof endpointLoadSchema>;

const identity = {
  name: z.string(),
  id: z.string(),
  version: z.string(),
  metadata: z.record(z.string(), z.string()).default({}),
};
const endpoint = { name: z.string(), subject: z.string(), queue_group: z.string().optional() };

export const srvPingSchema = z.looseObject({ type: z.literal('io.nats.micro.v1.ping_response'), ...identity });
export const srvInfoSchema = z.looseObject({
  type: z.literal('io.nats.micro.v1.info_response'),
  ...identity,
  description: z.string(),
  endpoints: z.array(z.looseObject({ ...endpoint, metadata: z.record(z.string(), z.string()).nullish() })),
});
export const srvStatsSchema = z.looseObject({
  type: z.literal('io.nats.micro.v1.stats_response'),
  ...identity,
  started: z.string(),
  endpoints: z.array(
    z.looseObject({
      ...endpoint,
      num_requests: z.number(),
      num_errors: z.number(),
      last_error: z.string(),
      processing_time: z.number().describe('nanoseconds'),
      average_processing_time: z.number().describe('nanoseconds'),
      data: z.unknown().optional().describe('ours: see endpointLoadSchema'),
    }),
  ),
});
export type SrvPing = z.infer<typeof srvPingSchema>;
export type SrvInfo = z.infer<typeof srvInfoSchema>;
export type SrvStats = z.infer<typeof srvStatsSchema>;
