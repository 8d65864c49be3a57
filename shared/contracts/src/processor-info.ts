// Defines an item of the verb `processors`: a running processor as discovery describes it, and an advertisement that was
// rejected.
import { z } from 'zod';
import { processorDescriptorSchema } from './discovery.ts';
import { tokenSchema } from './tokens.ts';

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
  });
export type ProcessorInfo = z.infer<typeof processorInfoSchema>;

export const refusedEndpointSchema = z.object({
  service: z.string(),
  name: z.string().describe('the advertised name, for display'),
  problem: z.string(),
});
/** A rejected advertisement: no agent can use it. */
export type RefusedEndpoint = z.infer<typeof refusedEndpointSchema>;
