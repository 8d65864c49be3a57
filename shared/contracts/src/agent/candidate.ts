// Defines the models of an agent: one, or candidates of which the next one is asked if a model fails. docs/models.md
import { z } from 'zod';
import { failureCauseSchema, modelIdSchema, modelSettingsSchema, providerOptionsSchema } from '../message/model.ts';

/** Limits of the candidates of one agent. */
export const CANDIDATE_LIMITS = {
  maxCandidates: 8,
  maxAttempts: 10,
  minWaitMs: 100,
  maxWaitMs: 600_000,
} as const;
const { maxCandidates, maxAttempts, minWaitMs, maxWaitMs } = CANDIDATE_LIMITS;
const waitSchema = z.number().int().min(minWaitMs).max(maxWaitMs);

export const modelCandidateSchema = z.strictObject({
  use: modelIdSchema.describe('The id of the model.'),
  settings: modelSettingsSchema
    .optional()
    .describe('Settings for this model alone; each replaces that of `modelSettings`.'),
  providerOptions: providerOptionsSchema
    .optional()
    .describe('Options for this model alone; each provider’s replace those of the agent.'),
  firstTokenMs: waitSchema
    .optional()
    .describe('Time limit for the first token. Default: 20,000 if another candidate follows, otherwise 120,000.'),
  idleMs: waitSchema
    .optional()
    .describe('Time limit between two events. Default: 30,000 if another candidate follows, otherwise 120,000.'),
  maxAttempts: z
    .number()
    .int()
    .min(1)
    .max(maxAttempts)
    .optional()
    .describe('Maximum number of calls of this model for one answer. Default: 3.'),
  contextTokens: z
    .number()
    .int()
    .min(1)
    .optional()
    .describe(
      'Size of the context window. A prompt that was too long for one candidate is not sent to one whose window is not larger.',
    ),
});
export type ModelCandidate = z.infer<typeof modelCandidateSchema>;

const candidateSchema = z.union([modelIdSchema, modelCandidateSchema], {
  error: 'must be the id of a model, or an object with `use`',
});
export const agentModelSchema = z.union([modelIdSchema, z.array(candidateSchema).min(1).max(maxCandidates)], {
  error: ({ input }) =>
    Array.isArray(input)
      ? `must list 1 to ${maxCandidates} models, each an id or an object with \`use\``
      : 'must be the id of a model, "<provider>/<id>", or a list of models',
});
export type AgentModel = z.infer<typeof agentModelSchema>;

/** A failed call of a candidate. */
export const attemptFailureSchema = z.object({
  candidate: z.number().int().min(0).describe('place of the model in the list of candidates'),
  cause: failureCauseSchema,
  retryAt: z.number().optional().describe('earliest time of the next call as the provider requests it, ms since 1970'),
});
export type AttemptFailure = z.infer<typeof attemptFailureSchema>;

export const failoverSchema = z.strictObject({
  onRefusal: z
    .boolean()
    .optional()
    .describe('The next candidate is asked if a provider refuses the content. Default: the run ends.'),
});
export type Failover = z.infer<typeof failoverSchema>;

/** Returns the candidates in their order. */
export const listCandidates = (model: AgentModel): ModelCandidate[] =>
  [model].flat().map((candidate) => (typeof candidate === 'string' ? { use: candidate } : candidate));

/** Returns the ids of the candidates as one line: `openai/gpt-5-mini, anthropic/claude-sonnet-5`. */
export const formatModels = (model: AgentModel): string =>
  listCandidates(model)
    .map(({ use }) => use)
    .join(', ');

/** Returns the id of the candidate that is asked first. */
export const readFirstModel = ({ model }: { model: AgentModel }): string => listCandidates(model)[0]?.use ?? '';
