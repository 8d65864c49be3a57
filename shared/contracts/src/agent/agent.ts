// Defines the schema of an agent. An agent is configuration without code. The schema is strict: an unknown field is
// rejected by its name.
import { z } from 'zod';
import { CLIENT_TOOL_LIMITS } from '../tool/client-tool.ts';
import { jsonObjectSchema } from '../base/json.ts';
import { trustSchema } from '../message/label.ts';
import { roleSchema } from '../message/message.ts';
import {
  callerSettingSchema,
  modelSettingsSchema,
  providerOptionsSchema,
  structuredOutputSchema,
} from '../message/model.ts';
import { agentModelSchema, failoverSchema } from './candidate.ts';
import { pricesSchema } from './price.ts';
import { timeoutMsSchema } from '../stage/timeout.ts';
import { tokenSchema } from '../base/tokens.ts';

/** Release of earlier versions. */
export const REMOVED_RELEASE = 'sentence';

/** When the orchestrator publishes output of the output chain. docs/semantics.md, section 7. */
export const releaseSchema = z.enum(['chunk', 'step', 'result'], {
  error: ({ input }) =>
    input === REMOVED_RELEASE ? 'There is no release "sentence" any more: choose step, which is later.' : undefined,
});
export type Release = z.infer<typeof releaseSchema>;
/** A release as any version stored it. The next later one replaces the removed one. */
export const storedReleaseSchema = z.preprocess(
  (stored) => (stored === REMOVED_RELEASE ? 'step' : stored),
  releaseSchema,
);
/** From the earliest to the latest. */
export const RELEASES = releaseSchema.options;

export const onFailureSchema = z.enum(['fail', 'skip']);

/** Call policy of an entry. Absent members default to the processor's own policy. */
export const policySchema = z.strictObject({
  timeoutMs: z.number().int().min(1).max(600_000).optional(),
  attempts: z.number().int().min(1).max(10).optional(),
  onFailure: onFailureSchema.optional(),
});

/** Restricts an entry to runs with this value in their context: scalars, compared by identity. */
export const whenSchema = z.strictObject({
  context: z
    .string()
    .min(1)
    .max(200)
    .describe('a key of requestContext; tenant, runId, threadId and resourceId are set by the run'),
  equals: z.union([z.string(), z.number(), z.boolean(), z.null()]),
});
export type When = z.infer<typeof whenSchema>;

const entryObjectSchema = policySchema.extend({
  use: tokenSchema,
  as: tokenSchema.optional(),
  options: jsonObjectSchema.optional(),
  after: tokenSchema.optional(),
  before: tokenSchema.optional(),
  replaceable: z
    .boolean()
    .optional()
    .describe('A list that a caller provides replaces the entry. Default: the entry stays in every run.'),
  required: z.boolean().optional().describe('Accepted from files of earlier versions: entries stay by default.'),
  when: whenSchema.optional(),
  declassify: z
    .boolean()
    .optional()
    .describe(
      'Texts that the entry adds or replaces are trusted. Default: they have the lowest trust of the content that it reads.',
    ),
  observe: z
    .boolean()
    .optional()
    .describe('The entry runs without delaying the run; its verdict is recorded as an event.'),
});
export type EntryObject = z.infer<typeof entryObjectSchema>;
const nameSchema = tokenSchema.transform((use): EntryObject => ({ use }));

/** One member of a parallel group; the group determines its position. */
const memberSchema = z.union(
  [nameSchema, entryObjectSchema.omit({ after: true, before: true, observe: true, declassify: true })],
  {
    error: 'must be the name of a processor, or an object with `use`',
  },
);

/** Entries that judge the same input concurrently. They change nothing, and the first stop ends the group. */
export const overlapSchema = z.literal('model');
export const groupObjectSchema = z.strictObject({
  parallel: z.array(memberSchema).min(1).max(16),
  overlap: overlapSchema
    .optional()
    .describe('model: The group runs concurrently with the first model call; the answer is buffered until it passes.'),
});

/** A processor name or an object. `memory` expands to the entries of the agent's memory. */
export const agentEntrySchema = z.union([nameSchema, entryObjectSchema], {
  error: 'must be the name of a processor, or an object with `use`',
});

/** An entry that a caller lists for one run: a processor name or an object. Its policy is the processor's own. */
export const overrideEntrySchema = z.union(
  [tokenSchema, z.strictObject({ use: tokenSchema, as: tokenSchema.optional(), options: jsonObjectSchema.optional() })],
  { error: 'must be the name of a processor, or an object with `use`' },
);
export type OverrideEntry = z.infer<typeof overrideEntrySchema>;

export const memorySchema = z.strictObject({
  lastMessages: z.number().int().min(0).max(1_000).optional(),
  semanticRecall: z.union([z.boolean(), jsonObjectSchema]).optional(),
  workingMemory: z.union([z.boolean(), jsonObjectSchema]).optional(),
  keepPartial: z
    .boolean()
    .optional()
    .describe('the history keeps the part of an answer that a stopped or failed run has shown'),
  generateTitle: z
    .union([z.boolean(), jsonObjectSchema])
    .optional()
    .describe('the history asks a model for a title of a thread that has none'),
});
export type MemoryConfig = z.infer<typeof memorySchema>;
export const memoryKeySchema = memorySchema.omit({ keepPartial: true, generateTitle: true }).keyof();
export type MemoryKey = z.infer<typeof memoryKeySchema>;

/** The shipped processor of each member of `memory`. Its replicas of earlier releases advertise no `memoryKey`. */
export const SHIPPED_MEMORY: Readonly<Record<MemoryKey, string>> = {
  lastMessages: 'message-history',
  semanticRecall: 'semantic-recall',
  workingMemory: 'working-memory',
};

/** Returns the member of `memory` that a processor implements, or undefined. */
export const readMemoryKey = (
  id: string,
  { memoryKey }: { memoryKey?: MemoryKey | undefined },
): MemoryKey | undefined => memoryKey ?? memoryKeySchema.options.find((key) => SHIPPED_MEMORY[key] === id);

export const MAX_STEPS = 5;
/** Maximum flush delay that an agent may set for text chunks, in ms. */
const MAX_FLUSH_MS = 50;

/** Limits of one agent. A larger definition is rejected before it is parsed. */
export const AGENT_LIMITS = {
  /** In each of the three lists. */
  maxEntries: 256,
  maxTools: 256,
  maxInstructions: 256,
  maxOverrides: 64,
  /** Size of the definition as JSON. */
  maxBytes: 256 * 1024,
  /** Per tenant. */
  maxAgents: 1_000,
} as const;
const { maxEntries, maxTools, maxInstructions, maxOverrides } = AGENT_LIMITS;

/** Roles that callers may submit by default: clients without a thread send their history along. */
export const CALLER_ROLES = ['user', 'assistant', 'tool'] as const;

/** Effect of a file that reaches a run: guards read text, not images, documents and sounds. */
export const filesSchema = z.enum(['refuse', 'text', 'judged', 'pass']);
export type Files = z.infer<typeof filesSchema>;

/** Decides whether a tool is called while untrusted content is in the prompt. */
export const whenUntrustedSchema = z.enum(['allow', 'approve', 'deny']);
export type WhenUntrusted = z.infer<typeof whenUntrustedSchema>;

/** untrusted: the result holds data from outside. inherit: it follows from the arguments alone. */
export const resultTrustSchema = z.enum(['untrusted', 'inherit']);

const agentToolObjectSchema = z.strictObject({
  use: tokenSchema,
  whenUntrusted: whenUntrustedSchema
    .optional()
    .describe(
      'Effect of untrusted content in the prompt on a call of the tool. Default: allow if the tool only reads, otherwise approve.',
    ),
  resultTrust: resultTrustSchema
    .optional()
    .describe(
      'Trust of the results. inherit: that of the call, for tools without data of their own. Default: untrusted.',
    ),
  timeoutMs: timeoutMsSchema.optional().describe('Time limit of one call. Default: that of the tool.'),
  attempts: z
    .number()
    .int()
    .min(1)
    .max(5)
    .optional()
    .describe(
      'Maximum number of times that a failed call is made, with a growing pause; above 1 for idempotent tools only.',
    ),
  maxCalls: z.number().int().min(1).max(10_000).optional().describe('Maximum number of calls in one run.'),
  concurrency: z.number().int().min(1).max(8).optional().describe('Maximum number of concurrent calls of one answer.'),
});
/** A tool's name or an object. */
export const agentToolSchema = z.union([tokenSchema, agentToolObjectSchema], {
  error: 'must be the name of a tool, or an object with `use`',
});
export type AgentTool = z.infer<typeof agentToolSchema>;

export const readAgentTool = (tool: AgentTool): z.infer<typeof agentToolObjectSchema> =>
  typeof tool === 'string' ? { use: tool } : tool;

/** An entry or a group of entries. */
const listedSchema = z.union([nameSchema, entryObjectSchema, groupObjectSchema], {
  error: 'must be the name of a processor, or an object with `use`',
});
const listSchema = z.array(listedSchema).max(maxEntries).default([]);

export const agentSchema = z.strictObject({
  name: tokenSchema,
  description: z.string().optional(),
  model: agentModelSchema.describe(
    'The id of a model, or a list of candidates: the next one is asked if a model fails.',
  ),
  failover: failoverSchema.optional().describe('Behaviour of a list of candidates.'),
  instructions: z.union([z.string(), z.array(z.string()).max(maxInstructions)]).default([]),
  tools: z.array(agentToolSchema).max(maxTools).default([]),
  input: listSchema,
  output: listSchema,
  error: listSchema,
  memory: memorySchema.optional(),
  callerRoles: z
    .array(roleSchema)
    .min(1)
    .default([...CALLER_ROLES])
    .describe('Roles of messages that callers may submit. All submitted messages are judged as input.'),
  files: filesSchema
    .optional()
    .describe(
      'Files of messages. refuse: none. text: those that guards read, UTF-8 of a text type and no URL. judged: also those that an input entry with judgesFiles has passed in this run. pass: all, unjudged. Default: judged if an entry judges files, refuse if one judges text, otherwise pass.',
    ),
  questions: z
    .array(tokenSchema)
    .max(maxTools)
    .optional()
    .describe(
      'Tools and entries that put their suspensions to the caller as questions. All other suspensions wait for an operator.',
    ),
  overrides: z
    .array(tokenSchema)
    .max(maxOverrides)
    .optional()
    .describe('Processors that callers may list for one run instead of this agent’s lists. Default: none.'),
  callerSettings: z
    .array(callerSettingSchema)
    .optional()
    .describe(
      'Settings of the model that callers may choose for one run: modelSettings by name, and toolChoice. Default: none.',
    ),
  clientTools: z
    .union([z.literal(true), z.array(tokenSchema).max(CLIENT_TOOL_LIMITS.maxTools)])
    .optional()
    .describe(
      'Tools that callers may submit for one run and execute themselves: true for all, or their names. Default: none.',
    ),
  definitionTrust: trustSchema
    .optional()
    .describe('Trust of the texts in `clientTools` and `structuredOutput` of a request. Default: untrusted.'),
  maxSteps: z.number().int().min(1).max(250).default(MAX_STEPS),
  maxProcessorRetries: z.number().int().min(0).max(100).optional(),
  flushMs: z
    .int()
    .min(0)
    .max(MAX_FLUSH_MS)
    .optional()
    .describe(
      'Maximum delay of a text chunk in ms, to send several chunks together. Default: 0 while idle, 10 to 25 under load. 0 keeps the chunks of the provider.',
    ),
  release: releaseSchema.optional().describe('Default: chunk.'),
  record: z
    .literal('changes')
    .optional()
    .describe(
      'changes: operators can read for 24 hours what each processor changed, with masks. Default: nothing is recorded.',
    ),
  prices: pricesSchema.optional().describe('Prices of the models by id; the run reports the cost in `usage.cost`.'),
  modelSettings: modelSettingsSchema.optional(),
  providerOptions: providerOptionsSchema.optional(),
  structuredOutput: structuredOutputSchema.optional(),
  raw: z
    .boolean()
    .optional()
    .describe(
      'Includes the raw chunks of the provider. Rejected together with output entries that do more than observe.',
    ),
});
export type Agent = z.infer<typeof agentSchema>;
