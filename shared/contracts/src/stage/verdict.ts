// Defines a verdict, the answer of a processor: one member of a union, never an exception on the wire.
import { z } from 'zod';
import { changesSchema } from '../message/changes.ts';
import { chunkSchema } from '../chunk/chunk.ts';
import { errorCodeSchema } from '../base/errors.ts';
import { jsonObjectSchema, jsonValueSchema } from '../base/json.ts';
import { modelIdSchema, verdictUsageSchema } from '../message/model.ts';
import type { Stage } from '../base/stage.ts';
import { suspendedForSchema } from '../chunk/suspension.ts';

export const violationSchema = z.object({
  processorId: z.string(),
  message: z.string(),
  rule: z.string().optional().describe('id of the violated rule, never the pattern'),
  strategy: z.string().optional(),
  count: z.number().int().min(1).optional().describe('number of findings; default: 1'),
  detail: jsonValueSchema.optional().describe('findings of the processor; never the text that it redacts'),
});
export type Violation = z.infer<typeof violationSchema>;

/** Rules and codes are shown to callers without being judged: only names are shown. */
const NAME_PATTERN = /^[A-Za-z][A-Za-z0-9_.-]{0,63}$/;
export const isName = (text: string): boolean => NAME_PATTERN.test(text);

/** Maximum number of stored violations of one entry in one stage; one more counts the rest. */
export const MAX_VIOLATIONS = 32;

/** The violation that callers see: no pattern and no span, because those would help to bypass the guard. */
export const publicViolationSchema = z.object({
  processorId: z.string(),
  rule: z.string().optional(),
  count: z.number().int().min(1),
});
export type PublicViolation = z.infer<typeof publicViolationSchema>;

/** Returns one violation for each processor and rule, in the order of their first finding. */
export function toPublicViolations(violations: readonly Violation[]): PublicViolation[] {
  const sums = new Map<string, PublicViolation>();
  for (const { processorId, rule: givenRule, count = 1 } of violations) {
    const rule = givenRule !== undefined && isName(givenRule) ? givenRule : undefined;
    const key = JSON.stringify([processorId, rule]);
    const sum = sums.get(key)?.count ?? 0;
    sums.set(key, { processorId, ...(rule !== undefined && { rule }), count: sum + count });
  }
  return [...sums.values()];
}

const usage = verdictUsageSchema.optional().describe('model calls of the processor in this call, or session');

/** Members of every verdict except failure. */
const carried = {
  usage,
  state: jsonObjectSchema.optional(),
  data: z.array(chunkSchema).optional().describe('custom data-* chunks, in order'),
  violations: z.array(violationSchema).optional(),
};
const changes = changesSchema.optional();

export const verdictSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('continue'), ...carried, changes }),
  z.strictObject({
    type: z.literal('abort'),
    ...carried,
    reason: z.string(),
    retry: z.boolean().optional(),
    metadata: jsonValueSchema.optional(),
  }),
  z.strictObject({ type: z.literal('halt'), ...carried, changes, response: z.string(), reason: z.string().optional() }),
  z.strictObject({ type: z.literal('deny'), ...carried, reason: z.string(), code: z.string().optional() }),
  z.strictObject({
    type: z.literal('suspend'),
    ...carried,
    payload: jsonValueSchema,
    expiresInSeconds: suspendedForSchema,
  }),
  z.strictObject({ type: z.literal('respond'), ...carried, chunks: z.array(chunkSchema) }),
  z.strictObject({ type: z.literal('retry'), ...carried, changes, model: modelIdSchema.optional() }),
  z.strictObject({
    type: z.literal('failure'),
    code: errorCodeSchema,
    message: z.string(),
    retryable: z.boolean(),
    usage,
  }),
]);
export type Verdict = z.infer<typeof verdictSchema>;
export type VerdictType = Verdict['type'];
export type VerdictOf<T extends VerdictType> = Extract<Verdict, { type: T }>;

const everywhere: readonly VerdictType[] = ['continue', 'abort', 'failure'];

/** Allowed verdicts by stage other than continue, abort and failure. See docs/semantics.md. */
const ALSO_ALLOWED: Record<Stage, readonly VerdictType[]> = {
  processInput: ['halt', 'suspend'],
  processInputStep: ['halt', 'suspend'],
  processLLMRequest: ['halt', 'respond'],
  processAPIError: ['retry'],
  processOutputStream: ['halt'],
  processLLMResponse: [],
  processOutputStep: ['halt', 'suspend'],
  processToolCall: ['halt', 'deny', 'suspend'],
  processToolResult: ['halt', 'suspend'],
  processOutputResult: ['halt', 'suspend'],
};

export function allowsVerdict(stage: Stage, type: VerdictType): boolean {
  return everywhere.includes(type) || ALSO_ALLOWED[stage].includes(type);
}

/** abort with retry: every stage but processAPIError and the tool stages. */
export function allowsRetry(stage: Stage): boolean {
  return stage !== 'processAPIError' && stage !== 'processToolCall' && stage !== 'processToolResult';
}
