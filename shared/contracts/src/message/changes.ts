// Defines a processor's changes as data. The table CHANGES_OF_STAGE lists the members that a stage may have; any other
// member is rejected by name. Both ends call `applyChanges`, so the next processor of the list sees the same input on
// the replica as in the orchestrator.
import { z } from 'zod';
import { applyOps } from './apply-ops.ts';
import { messageOpSchema, type Conversation } from './conversation.ts';
import { jsonValueSchema } from '../base/json.ts';
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
import type { Reads, Stage } from '../base/stage.ts';

export const changesSchema = z.strictObject({
  ops: z.array(messageOpSchema).optional(),
  model: modelIdSchema.optional(),
  tools: z.array(toolDefinitionSchema).optional(),
  activeTools: z.array(z.string()).nullable().optional().describe('null activates all tools again'),
  toolChoice: toolChoiceSchema.optional(),
  modelSettings: modelSettingsSchema.optional(),
  providerOptions: providerOptionsSchema.optional(),
  structuredOutput: structuredOutputSchema.nullable().optional(),
  prompt: promptSchema.optional(),
  text: z.string().optional().describe('processOutputStep: replaces the text of the answer'),
  toolCalls: z.array(toolCallSchema).optional().describe('processOutputStep: replaces the tool calls'),
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
  // The model of a retry is in the verdict `retry`.
  processAPIError: ['ops'],
  processOutputStream: [],
  processLLMResponse: [],
  processOutputStep: ['ops', 'text', 'toolCalls'],
  processToolCall: ['args'],
  processToolResult: ['result', 'isError'],
  processOutputResult: ['ops'],
};

/** Returns the first member of `changes` that the stage does not allow. */
export function findRefusedChange(stage: Stage, changes: Changes): string | undefined {
  const allowed: readonly string[] = CHANGES_OF_STAGE[stage];
  return Object.keys(changes).find((key) => !allowed.includes(key));
}

/**
 * Members that replace a whole value, with the `reads` that they need: a processor would remove the parts that it was
 * not sent.
 */
const REPLACED_WHOLE: Partial<Record<keyof Changes, Reads>> = { tools: 'tools', prompt: 'prompt' };

/** Returns the first member that replaces a value outside the processor's `reads`, by its interface name. */
export function findBlindReplacement(
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

/** Members of a stage's input to which changes apply. */
type Changeable = { conversation?: Conversation | undefined; toolCall?: { args: unknown } | undefined };

export function applyChanges<I extends Changeable>(input: I, changes: Changes): I {
  const { ops, args, ...rest } = changes;
  const next: I = { ...input, ...omitUndefined(rest) };
  if (ops && next.conversation) next.conversation = applyOps(next.conversation, ops);
  if (args !== undefined && next.toolCall) next.toolCall = { ...next.toolCall, args };
  return next;
}

function omitUndefined(object: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined));
}
