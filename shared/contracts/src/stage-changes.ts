// Whether a processor may change what it judges, stage by stage: what it says of itself, and what that comes to with an entry's options.
import { z } from 'zod';
import type { Changes } from './changes.ts';
import { jsonValueSchema, type JsonObject, type JsonSchema } from './json.ts';
import { ownMember } from './own-member.ts';
import type { Verdict } from './verdict.ts';
import { stageSchema, type Stage } from './stage.ts';

const whetherSchema = z.union([
  z.enum(['always', 'never']),
  z.object({
    option: z.string().describe('name of an option at the top of the schema'),
    values: z.array(jsonValueSchema).describe('with which it may change something'),
  }),
]);
export const stageChangesSchema = z.partialRecord(stageSchema, whetherSchema);
export type StageChanges = z.infer<typeof stageChangesSchema>;

/** As an agent's plan has it. A stage that is not named may change whatever the stage allows. */
export const resolvedChangesSchema = z.partialRecord(stageSchema, z.boolean());
export type ResolvedChanges = z.infer<typeof resolvedChangesSchema>;

/** @param optionsSchema the default counts where the options do not say */
export function resolveChanges(changes: StageChanges, optionsSchema: JsonSchema, options: JsonObject): ResolvedChanges {
  const resolved = stageSchema.options.flatMap((stage) => {
    const whether = changes[stage];
    if (whether === undefined) return [];
    if (typeof whether === 'string') return [[stage, whether === 'always'] as const];
    const value = JSON.stringify(ownMember(options, whether.option) ?? defaultOf(optionsSchema, whether.option));
    return [[stage, whether.values.some((one) => JSON.stringify(one) === value)] as const];
  });
  return Object.fromEntries(resolved);
}

function defaultOf({ properties }: JsonSchema, option: string): unknown {
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, option)) return undefined;
  const property: unknown = Object.entries(properties).find(([name]) => name === option)?.[1];
  return typeof property === 'object' && property !== null && 'default' in property ? property.default : undefined;
}

export const mayChange = (changes: ResolvedChanges | undefined, stage: Stage): boolean => changes?.[stage] !== false;

/** Whether the verdict changes anything. No operations are no change; no tools or no calls are one. */
export function hasChanges(verdict: Verdict): boolean {
  const { ops = [], ...members }: Changes = ('changes' in verdict && verdict.changes) || {};
  return ops.length > 0 || Object.values(members).some((value) => value !== undefined);
}
