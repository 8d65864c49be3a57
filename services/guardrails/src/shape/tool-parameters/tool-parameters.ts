// tool-parameters: sets, completes and removes arguments of tool calls by rules of the agent.
import { jsonValueSchema, matchesToolName, type JsonValue } from '@millrace/contracts';
import { defineProcessor, type ProcessToolCallArgs, type ProcessToolCallResult } from '@millrace/processor';
import { z } from 'zod';
import { toolNamesSchema } from '../../guard/tool-names.ts';
import { changeMember, POINTER, type MemberChange } from './change-member.ts';

const MAX_RULES = 100;
const MAX_POINTERS = 100;
const MAX_POINTER_LENGTH = 500;
const pointerSchema = z
  .string()
  .max(MAX_POINTER_LENGTH)
  .regex(POINTER, 'must be a JSON Pointer to a member, such as /filter/limit');
const membersSchema = z.record(pointerSchema, jsonValueSchema).default({});

const ruleSchema = z.strictObject({
  tools: toolNamesSchema.min(1).describe('Tools to which the rule applies.'),
  remove: z.array(pointerSchema).max(MAX_POINTERS).default([]).describe('Members that are removed, by JSON Pointer.'),
  defaults: membersSchema.describe('Values of members that the model did not send, by JSON Pointer.'),
  set: membersSchema.describe('Values that replace those of the model, by JSON Pointer.'),
});

const options = z.strictObject({
  rules: z
    .array(ruleSchema)
    .min(1)
    .max(MAX_RULES)
    .describe('Rules, applied in order; each removes, completes and sets, in this order.'),
});
type ToolParametersOptions = z.output<typeof options>;

/**
 * Changes the arguments of a call before the tool receives them. Missing objects on the way to a member are created. A value that no rule
 * changes reaches the tool byte for byte. Entries after it judge the changed arguments: place approval-gate after it.
 *
 * @verdict continue: with the changed arguments
 * @verdict deny: the arguments have no place for a member, because a value on the way to it is no object, or an index does not exist
 * @cannot Set values of the caller or of the run: the values are those of the options.
 * @cannot Move an element of an array with a number that a double does not hold: the call then fails with `number-inexact`.
 * @cannot Change the call that the stream has shown: clients have received the arguments of the model.
 * @example
 * input:
 *   - use: tool-parameters
 *     options:
 *       rules:
 *         - { tools: [search-*], defaults: { /limit: 10 }, set: { /filter/public: true }, remove: [/debug] }
 */
export const toolParameters = defineProcessor({
  id: 'tool-parameters',
  description: 'Sets, completes and removes arguments of tool calls by rules.',
  aliases: ['ToolParameterModifier'],
  stages: ['processToolCall'],
  positions: { input: 172 },
  reads: [],
  options,
  create: (chosen) => ({ id: 'tool-parameters', processToolCall: (args) => changeArguments(chosen, args) }),
});

function changeArguments({ rules }: ToolParametersOptions, args: ProcessToolCallArgs): ProcessToolCallResult {
  const { toolCall } = args;
  let changed = toolCall.args;
  for (const rule of rules) {
    if (!matchesToolName(rule.tools, toolCall.toolName)) continue;
    for (const [pointer, change] of listChanges(rule)) {
      const next = changeMember(changed, pointer, change);
      if (next === undefined) return denyCall(args, pointer);
      changed = next;
    }
  }
  return JSON.stringify(changed) === JSON.stringify(toolCall.args) ? undefined : { args: changed };
}

function listChanges({ remove, defaults, set }: ToolParametersOptions['rules'][number]): [string, MemberChange][] {
  const listValues = (members: Readonly<Record<string, JsonValue>>, change: 'default' | 'set') =>
    Object.entries(members).map(([pointer, value]): [string, MemberChange] => [pointer, { change, value }]);
  return [
    ...remove.map((pointer): [string, MemberChange] => [pointer, { change: 'remove' }]),
    ...listValues(defaults, 'default'),
    ...listValues(set, 'set'),
  ];
}

function denyCall({ toolCall, onViolation }: ProcessToolCallArgs, pointer: string): ProcessToolCallResult {
  const rule = 'no-place-for-argument';
  const detail = { toolName: toolCall.toolName, pointer };
  onViolation({
    message: `The arguments of a tool call have no place for ${pointer}.`,
    rule,
    strategy: 'deny',
    detail,
  });
  return { deny: true, reason: `The arguments have no place for ${pointer}.`, code: rule };
}
