// An agent is declared configuration, no code. The schema is strict: an unknown field is refused by its name, never ignored.
import { z } from 'zod';
import { jsonObjectSchema } from './json.ts';
import { roleSchema } from './message.ts';
import { modelIdSchema, modelSettingsSchema, providerOptionsSchema, structuredOutputSchema } from './model.ts';
import { pricesSchema } from './price.ts';
import { tokenSchema } from './tokens.ts';

/** How long what the output chain let through is held before anybody sees it. docs/semantics.md, section 7. */
export const releaseSchema = z.enum(['chunk', 'sentence', 'step', 'result']);
export type Release = z.infer<typeof releaseSchema>;

export const onFailureSchema = z.enum(['fail', 'skip']);

/** How an entry is called. What is absent comes from the processor's own default. */
export const policySchema = z.strictObject({
  timeoutMs: z.number().int().min(1).max(600_000).optional(),
  attempts: z.number().int().min(1).max(10).optional(),
  onFailure: onFailureSchema.optional(),
});
export type Policy = z.infer<typeof policySchema>;

/** An entry is called only in runs whose context has this value: scalars, compared as they are. */
export const whenSchema = z.strictObject({
  context: z
    .string()
    .min(1)
    .max(200)
    .describe('a key of requestContext; tenant, runId, threadId, resourceId are the run’s own'),
  equals: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});
export type When = z.infer<typeof whenSchema>;

const entryObjectSchema = policySchema.extend({
  use: tokenSchema,
  as: tokenSchema.optional(),
  options: jsonObjectSchema.optional(),
  after: tokenSchema.optional(),
  before: tokenSchema.optional(),
  required: z.boolean().optional(),
  when: whenSchema.optional(),
  observe: z.boolean().optional().describe('it is asked and not waited for; what it says is an event'),
});
export type EntryObject = z.infer<typeof entryObjectSchema>;
const nameSchema = tokenSchema.transform((use): EntryObject => ({ use }));

/** One member of a parallel group; where the group stands is its place. */
const memberSchema = z.union([nameSchema, entryObjectSchema.omit({ after: true, before: true, observe: true })], {
  error: 'must be the name of a processor, or an object with `use`',
});

/** Entries that judge the same input at once. They change nothing, and the first that stops ends the group. */
export const overlapSchema = z.literal('model');
export const groupObjectSchema = z.strictObject({
  parallel: z.array(memberSchema).min(1).max(16),
  overlap: overlapSchema
    .optional()
    .describe('model: they judge the input beside the first model call, whose answer waits for them'),
});
export type GroupObject = z.infer<typeof groupObjectSchema>;

/** A name, or an object. `memory` stands for what the agent's memory configures. */
export const agentEntrySchema = z.union([nameSchema, entryObjectSchema], {
  error: 'must be the name of a processor, or an object with `use`',
});

/** What a caller lists for one run: the name of a processor, or an object. Its policy is the processor's own. */
export const overrideEntrySchema = z.union(
  [tokenSchema, z.strictObject({ use: tokenSchema, as: tokenSchema.optional(), options: jsonObjectSchema.optional() })],
  { error: 'must be the name of a processor, or an object with `use`' },
);
export type OverrideEntry = z.infer<typeof overrideEntrySchema>;

export const memorySchema = z.strictObject({
  lastMessages: z.number().int().min(0).max(1_000).optional(),
  semanticRecall: z.union([z.boolean(), jsonObjectSchema]).optional(),
  workingMemory: z.union([z.boolean(), jsonObjectSchema]).optional(),
});
export type MemoryConfig = z.infer<typeof memorySchema>;

export const MAX_STEPS = 5;
/** The longest wait that an agent may set for pieces of text, ms. */
const MAX_FLUSH_MS = 50;

/** What one agent may have: whatever is larger is refused before it is looked into. */
export const AGENT_LIMITS = {
  /** In each of the three lists. */
  maxEntries: 256,
  maxTools: 256,
  maxInstructions: 256,
  maxOverrides: 64,
  /** Of the definition, as JSON. */
  maxBytes: 256 * 1024,
  /** A tenant's. */
  maxAgents: 1_000,
} as const;
const { maxEntries, maxTools, maxInstructions, maxOverrides } = AGENT_LIMITS;

/** What callers may submit where the agent does not say otherwise: clients without a thread send their history along. */
export const CALLER_ROLES = ['user', 'assistant', 'tool'] as const;

/** An entry, or a group of them. */
const listedSchema = z.union([nameSchema, entryObjectSchema, groupObjectSchema], {
  error: 'must be the name of a processor, or an object with `use`',
});
const listSchema = z.array(listedSchema).max(maxEntries).default([]);

export const agentSchema = z.strictObject({
  name: tokenSchema,
  description: z.string().optional(),
  model: modelIdSchema,
  instructions: z.union([z.string(), z.array(z.string()).max(maxInstructions)]).default([]),
  tools: z.array(tokenSchema).max(maxTools).default([]),
  input: listSchema,
  output: listSchema,
  error: listSchema,
  memory: memorySchema.optional(),
  callerRoles: z
    .array(roleSchema)
    .min(1)
    .default([...CALLER_ROLES])
    .describe('roles of the messages that callers may submit; all of them are judged as input'),
  questions: z
    .array(tokenSchema)
    .max(maxTools)
    .optional()
    .describe('tools and entries whose suspensions are questions to the caller; all others wait for an operator'),
  overrides: z
    .array(tokenSchema)
    .max(maxOverrides)
    .optional()
    .describe(
      'processors that callers may list for one run in place of this agent’s lists; absent: they may override nothing',
    ),
  maxSteps: z.number().int().min(1).max(100).default(MAX_STEPS),
  maxProcessorRetries: z.number().int().min(0).max(100).optional(),
  flushMs: z
    .int()
    .min(0)
    .max(MAX_FLUSH_MS)
    .optional()
    .describe(
      'longest wait in ms of a piece of text for others to leave with it; absent: 0 while idle, 10 to 25 under load; 0: pieces stay as the provider sent them',
    ),
  release: releaseSchema.optional().describe('chunk if absent'),
  prices: pricesSchema.optional().describe('of the models that may be asked, by id; what they cost is in `usage.cost`'),
  modelSettings: modelSettingsSchema.optional(),
  providerOptions: providerOptionsSchema.optional(),
  structuredOutput: structuredOutputSchema.optional(),
  raw: z
    .boolean()
    .optional()
    .describe('what the provider sent, as chunks; refused beside output entries that do more than observe'),
});
export type Agent = z.infer<typeof agentSchema>;
export type AgentSource = z.input<typeof agentSchema>;
