// Resolves whether a processor may change its input, by stage: its advertised changes with the options of an entry.
import { z } from 'zod';
import type { Changes } from '../message/changes.ts';
import { jsonValueSchema, type JsonObject, type JsonSchema } from '../base/json.ts';
import type { Verdict } from './verdict.ts';
import { getOwnMember } from '../base/own-member.ts';
import { stageSchema, type Stage } from '../base/stage.ts';

const whetherSchema = z.union([
  z.enum(['always', 'never']),
  z.object({
    option: z.string().describe('name of a top-level option of the schema'),
    values: z.array(jsonValueSchema).describe('values with which the processor may change its input'),
  }),
]);
export const stageChangesSchema = z.partialRecord(stageSchema, whetherSchema);
export type StageChanges = z.infer<typeof stageChangesSchema>;

/** As stored in an agent's plan. An absent stage may make every change that the stage allows. */
export const resolvedChangesSchema = z.partialRecord(stageSchema, z.boolean());
export type ResolvedChanges = z.infer<typeof resolvedChangesSchema>;

/** @param optionsSchema its default is used if the options do not set the value */
export function resolveChanges(changes: StageChanges, optionsSchema: JsonSchema, options: JsonObject): ResolvedChanges {
  const resolved = stageSchema.options.flatMap((stage) => {
    const whether = changes[stage];
    if (whether === undefined) return [];
    if (typeof whether === 'string') return [[stage, whether === 'always'] as const];
    const value = JSON.stringify(readOption(optionsSchema, options, whether.option));
    return [[stage, whether.values.some((one) => JSON.stringify(one) === value)] as const];
  });
  return Object.fromEntries(resolved);
}

export const mayChange = (changes: ResolvedChanges | undefined, stage: Stage): boolean => changes?.[stage] !== false;

/**
 * Returns true if the verdict changes anything. An empty list of operations is no change; an empty list of tools or
 * calls is one.
 */
export function hasChanges(verdict: Verdict): boolean {
  const { ops = [], ...members }: Changes = ('changes' in verdict && verdict.changes) || {};
  return ops.length > 0 || Object.values(members).some((value) => value !== undefined);
}

/**
 * Reads the value of an entry's option, or its default in the schema that the processor advertises. Returns undefined if
 * the options do not set the value and the schema has no default.
 */
export function readOption({ properties }: JsonSchema, options: JsonObject, name: string): unknown {
  const given = getOwnMember(options, name);
  if (given !== undefined) return given;
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, name)) return undefined;
  const property: unknown = Object.entries(properties).find(([own]) => own === name)?.[1];
  return typeof property === 'object' && property !== null && 'default' in property ? property.default : undefined;
}
