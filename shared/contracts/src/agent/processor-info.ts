// Defines an item of the verb `processors`: a running processor as discovery describes it, and an advertisement that was
// rejected.
import { z } from 'zod';
import { processorDescriptorSchema } from './discovery.ts';
import { tokenSchema } from '../base/tokens.ts';

const count = z.number().int().min(0);

/** The load of one replica, from its answer to $SRV.STATS: requests of every caller since its start. */
export const replicaLoadSchema = z.object({
  replica: tokenSchema,
  calls: count.describe('calls and sessions under way'),
  maxCalls: count.optional().describe('calls and sessions of the replica at the same time, of all its processors'),
  requests: count.describe('requests on the shared subjects; a session is one request'),
  errors: count.describe('requests that the replica rejected; a failure of the processor is a verdict'),
  lastError: z.string().max(300).optional(),
  averageMs: z.number().min(0).optional().describe('of one request; absent before the first'),
});
export type ReplicaLoad = z.infer<typeof replicaLoadSchema>;

export const processorInfoSchema = processorDescriptorSchema
  .pick({
    id: true,
    description: true,
    version: true,
    aliases: true,
    stages: true,
    reads: true,
    policy: true,
    optionsSchema: true,
  })
  .extend({
    service: tokenSchema,
    replicas: z.array(tokenSchema).describe('ids of the processes that serve it, sorted'),
    loads: z
      .array(replicaLoadSchema)
      .optional()
      .describe('of the replicas that answered, if the request asks for them'),
  });
export type ProcessorInfo = z.infer<typeof processorInfoSchema>;

export const refusedEndpointSchema = z.object({
  service: z.string(),
  name: z.string().describe('the advertised name, for display'),
  problem: z.string(),
  owner: tokenSchema.optional().describe('the service that serves the name; absent: rejected for another reason'),
});
/** A rejected advertisement: no agent can use it. */
export type RefusedEndpoint = z.infer<typeof refusedEndpointSchema>;

/**
 * An event of the bus, which belongs to no run: a second service advertised the name of a processor or tool. It is
 * stored as long as the events of runs, also after that service has left.
 */
export const claimEventSchema = z.object({
  event: z.literal('claim'),
  at: z.string().describe('ISO 8601'),
  name: z.string().describe('the advertised name, for display'),
  service: z.string().describe('the second service: it receives no calls of that name'),
  owner: tokenSchema.describe('the service that serves the name'),
});
export type ClaimEvent = z.infer<typeof claimEventSchema>;
