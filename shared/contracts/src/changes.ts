// What a processor changed, as data. Which members a stage may have is a table (CHANGES_OF_STAGE); what does not stand there
// is refused by name. `applyChanges` is what both ends do with it, so the next processor of the list sees the same
// on the replica as the orchestrator will have.
import { z } from 'zod';
import { applyOps } from './apply-ops.ts';
import { messageOpSchema, type Conversation } from './conversation.ts';
import { jsonValueSchema } from './json.ts';
import {
  modelIdSchema,
  modelSettingsSchema,
  promptSchema,
  providerOptionsSchema,
  structuredOutputSchema,
  toolCallSchema,
  toolChoiceSchema,
  toolDefinitionSchema,
} from './model.ts';
import type { Reads, Stage } from './stage.ts';

export const changesSchema = z.strictObject({
  ops: z.array(messageOpSchema).optional(),
  model: modelIdSchema.optional(),
  tools: z.array(toolDefinitionSchema).optional(),
  activeTools: z.array(z.string()).nullable().optional().describe('null: all tools are active again'),
  toolChoice: toolChoiceSchema.optional(),
  modelSettings: modelSettingsSchema.optional(),
  providerOptions: providerOptionsSchema.optional(),
  structuredOutput: structuredOutputSchema.nullable().optional(),
  prompt: promptSchema.optional(),
  text: z.string().optional().describe('processOutputStep: the text of the answer instead'),
  toolCalls: z.array(toolCallSchema).optional().describe('processOutputStep: the calls that are made instead'),
  args: jsonValueSchema.optional(),
  result: jsonValueSchema.optional(),
  isError: z.boolean().optional(),
});
export type Changes = z.infer<typeof changesSchema>;

const CHANGES_OF_STAGE: Record<Stage, readonly (keyof Changes)[]> = {
  processInput: ['ops'],
  processInputStep: [
    'ops',
    'model',
    'tools',
    'activeTools',
    'toolChoice',
    'modelSettings',
    'providerOptions',
    'structuredOutput',
  ],
  processLLMRequest: ['prompt'],
  // The model of another try stands in the verdict `retry`.
  processAPIError: ['ops'],
  processOutputStream: [],
  processLLMResponse: [],
  processOutputStep: ['ops', 'text', 'toolCalls'],
  processToolCall: ['args'],
  processToolResult: ['result', 'isError'],
  processOutputResult: ['ops'],
};

/** The first member of `changes` that the stage may not have. */
export function refusedChange(stage: Stage, changes: Changes): string | undefined {
  const allowed: readonly string[] = CHANGES_OF_STAGE[stage];
  return Object.keys(changes).find((key) => !allowed.includes(key));
}

/** What replaces all of something, and what a processor must read to do so: what it was not given it would remove. */
const REPLACED_WHOLE: Partial<Record<keyof Changes, Reads>> = { tools: 'tools', prompt: 'prompt' };

/** The first member that replaces what a processor with these `reads` was not given, in the words of the interface. */
export function blindReplacement(
  changes: Changes,
  reads: readonly Reads[],
): { member: string; unread: Reads } | undefined {
  const replaced = changes.ops?.some(({ op }) => op === 'system-all')
    ? [{ member: 'systemMessages', unread: 'system' as const }]
    : [];
  const keys = Object.entries(REPLACED_WHOLE).flatMap(([member, unread]) =>
    member in changes ? [{ member, unread }] : [],
  );
  return [...replaced, ...keys].find(({ unread }) => !reads.includes(unread));
}

/** What a stage's input must have for changes to be applied to it. */
type Changeable = { conversation?: Conversation | undefined; toolCall?: { args: unknown } | undefined };

export function applyChanges<I extends Changeable>(input: I, changes: Changes): I {
  const { ops, args, ...rest } = changes;
  const next: I = { ...input, ...withoutUndefined(rest) };
  if (ops && next.conversation) next.conversation = applyOps(next.conversation, ops);
  if (args !== undefined && next.toolCall) next.toolCall = { ...next.toolCall, args };
  return next;
}

function withoutUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
