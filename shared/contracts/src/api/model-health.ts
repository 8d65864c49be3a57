// Defines the answer of the verb `models`: the providers of the installation, and the circuits of the models of a tenant's agents.
import { z } from 'zod';
import { failureCauseSchema, modelIdSchema } from '../message/model.ts';

const count = z.number().int().min(0);

export const modelHealthSchema = z.object({
  id: modelIdSchema,
  state: z
    .enum(['ok', 'trying', 'down'])
    .describe('down: not asked until `until`. trying: a call to the model is due or under way'),
  cause: failureCauseSchema.optional().describe('of the last failure, unless the state is ok'),
  until: z.string().optional().describe('ISO 8601; absent if the state is ok'),
  succeeded: count.describe('calls of the orchestrator that answers in the last 30 s at most'),
  failed: count,
});
export type ModelHealth = z.infer<typeof modelHealthSchema>;

export const providerHealthSchema = z.object({
  name: z.string(),
  kind: z.string().describe('its protocol'),
  hasKey: z.boolean(),
  models: z.array(modelHealthSchema).describe('models of applied agents, by id'),
});
export type ProviderHealth = z.infer<typeof providerHealthSchema>;

export const modelsAnswerSchema = z.object({
  providers: z.array(providerHealthSchema).describe('by name'),
  unknown: z.array(modelIdSchema).describe('models of applied agents without a configured provider'),
  omitted: count.describe('models that the answer does not have'),
});
export type ModelsAnswer = z.infer<typeof modelsAnswerSchema>;
