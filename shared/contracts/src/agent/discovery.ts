// Defines the NATS services protocol (ADR-32): the answers to $SRV.PING, INFO and STATS, and Millrace's endpoint
// metadata. Metadata values are strings, so the descriptor is JSON under one key.
import { z } from 'zod';
import { memoryKeySchema, onFailureSchema } from './agent.ts';
import { jsonObjectSchema, jsonSchemaSchema } from '../base/json.ts';
import { judgesFilesSchema } from './judged-files.ts';
import { toolDefinitionSchema } from '../message/model.ts';
import { listSchema, readsByStageSchema, stageSchema } from '../base/stage.ts';
import { stageChangesSchema } from '../stage/stage-changes.ts';
import { addedTimeoutSchema, timeoutMsSchema } from '../stage/timeout.ts';
import { tokenSchema } from '../base/tokens.ts';

/** The position of `memory` in the input and output lists; guards that judge before memory have lower positions. */
export const MEMORY_POSITION = 500;

const positionSchema = z.int().min(0).max(1_000);
/** The default position of a processor in each list: `after` and `before` may name it in a list that does not contain it. */
export const positionsSchema = z.object({ input: positionSchema, output: positionSchema }).partial();
export type Positions = z.infer<typeof positionsSchema>;

/** Descriptor that a processor advertises. `aliases`: names in other frameworks. */
export const processorDescriptorSchema = z.object({
  id: tokenSchema,
  name: z.string().max(100).optional().describe('display name; default: the id'),
  description: z.string(),
  version: z.string(),
  stages: z.array(stageSchema).min(1),
  reads: readsByStageSchema,
  changes: stageChangesSchema
    .optional()
    .describe('whether the processor may change its input, by stage; an absent stage may'),
  processDataParts: z.boolean(),
  processCutOff: z.boolean().optional().describe('processLLMResponse also receives model calls that were cut off'),
  rewritesAnswers: z.boolean().optional().describe('processOutputStep returns other texts than its input'),
  optionsSchema: jsonSchemaSchema,
  newDefaults: z
    .object({ options: jsonObjectSchema, unless: z.string() })
    .optional()
    .describe(
      'options of entries that an agent applied from now on does not set: stored plans keep the defaults of the schema. An entry that sets the option `unless` does not get them',
    ),
  aliases: z.array(z.string()).default([]),
  lists: z.array(listSchema).min(1),
  positions: positionsSchema
    .optional()
    .describe(
      'default position in each list, 0 to 1000, memory at 500: orders entries that name this processor in `after` or `before`',
    ),
  judgesText: z
    .boolean()
    .optional()
    .describe('judges or redacts the texts of the call, and no later text: entries that add text belong before it'),
  judgesFiles: judgesFilesSchema
    .optional()
    .describe(
      'kinds of files in messages of the source input that the processor judges in processInput: its verdict continue passes them',
    ),
  addsText: z.boolean().optional().describe('adds text to messages that no processor has judged'),
  memoryKey: memoryKeySchema
    .optional()
    .describe("the member of an agent's `memory` that this processor implements: its value is the processor's options"),
  policy: z.object({
    timeoutMs: timeoutMsSchema,
    attempts: z.number().int().positive(),
    onFailure: onFailureSchema,
    addedTimeout: addedTimeoutSchema
      .optional()
      .describe('adds the value of an option to timeoutMs if the entry sets another option, such as `model`'),
  }),
});
export type ProcessorDescriptor = z.infer<typeof processorDescriptorSchema>;

export const METADATA_KEY = 'millrace';
/** Maximum number of parts that one replica reports. */
export const MAX_PART_PROBLEMS = 20;

/** Number of the wire's protocol. Orchestrators and replicas of another number do not understand each other's subjects. */
export const WIRE_PROTOCOL = 2;
const protocolSchema = z.literal(WIRE_PROTOCOL);

/** JSON under METADATA_KEY of an endpoint. */
export const endpointMetadataSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('processor'),
    protocol: protocolSchema,
    descriptor: processorDescriptorSchema,
    stage: stageSchema,
  }),
  z.object({ kind: z.literal('tool'), protocol: protocolSchema, tool: toolDefinitionSchema }),
  z.object({ kind: z.literal('api') }),
]);
export type EndpointMetadata = z.infer<typeof endpointMetadataSchema>;

/**
 * JSON under METADATA_KEY of the service itself: the maximum number of concurrent calls and sessions of one replica, and the
 * parts that it cannot serve.
 */
export const serviceLimitsSchema = z.object({
  maxCalls: z.number().int().min(1).optional(),
  problems: z
    .array(z.object({ name: z.string(), problem: z.string() }))
    .max(MAX_PART_PROBLEMS)
    .optional()
    .describe('parts without which the service works, such as a tool of a file or a server of others'),
});
/** A part that a service cannot serve. `name`: of the tool or server. */
export type PartProblem = { name: string; problem: string };
export type ServiceLimits = z.infer<typeof serviceLimitsSchema>;

/** `data` of an endpoint in $SRV.STATS: active calls and sessions, and the replica's limit. */
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
      data: z.unknown().optional().describe('Millrace: see endpointLoadSchema'),
    }),
  ),
});
export type SrvPing = z.infer<typeof srvPingSchema>;
export type SrvInfo = z.infer<typeof srvInfoSchema>;
export type SrvStats = z.infer<typeof srvStatsSchema>;
