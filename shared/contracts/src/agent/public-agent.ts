// Defines the public part of an agent, which end clients read. Instructions, options, rules and plan are for operators.
import { z } from 'zod';
import { agentSchema, type Agent } from './agent.ts';
import { appliedAgentSchema, type AppliedAgent, type Plan } from './plan.ts';
import { tokenSchema } from '../base/tokens.ts';

/** Readers of each member of a definition. A member without a row is a type error. */
export const AGENT_READERS: Readonly<Record<keyof Agent, 'everyone' | 'operators'>> = {
  name: 'everyone',
  description: 'everyone',
  tools: 'everyone',
  questions: 'everyone',
  callerRoles: 'everyone',
  callerSettings: 'everyone',
  clientTools: 'everyone',
  overrides: 'everyone',
  memory: 'everyone',
  model: 'operators',
  failover: 'operators',
  files: 'operators',
  definitionTrust: 'operators',
  instructions: 'operators',
  input: 'operators',
  output: 'operators',
  error: 'operators',
  maxSteps: 'operators',
  maxProcessorRetries: 'operators',
  flushMs: 'operators',
  release: 'operators',
  record: 'operators',
  prices: 'operators',
  modelSettings: 'operators',
  providerOptions: 'operators',
  structuredOutput: 'operators',
  raw: 'operators',
};

const { name, description, questions, callerRoles, callerSettings, clientTools, overrides } = agentSchema.shape;

/** Members outside of the schema are dropped, also those of members: a tool without its rules, a memory without options. */
const publicDefinitionSchema = z.object({
  name,
  description,
  tools: z.array(z.union([tokenSchema, z.object({ use: tokenSchema })])).describe('by name'),
  questions,
  callerRoles,
  callerSettings,
  clientTools,
  overrides,
  memory: z
    .object({ lastMessages: z.number().int().min(0).optional() })
    .optional()
    .describe('the agent remembers so many messages of a thread'),
});
const { revision, appliedAt } = appliedAgentSchema.shape;
export const publicAgentSchema = z.object({ agent: publicDefinitionSchema, revision, appliedAt });
export type PublicAgent = z.infer<typeof publicAgentSchema>;

const EMPTY_PLAN: Plan = { entries: {}, order: {}, tools: [] };

/**
 * Returns the public part. For readers of earlier versions it fits the schema of an applied agent: the model is the
 * agent's own name, and the plan is empty. Readers of this version drop both.
 */
export function showAgent(applied: AppliedAgent): PublicAgent {
  const shown = publicAgentSchema.parse(applied);
  const former = { agent: { ...shown.agent, model: `openai/${shown.agent.name}` }, plan: EMPTY_PLAN };
  return { ...shown, ...former };
}
