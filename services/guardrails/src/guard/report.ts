// Reports a guard's hits: one violation per rule, with a count. Callers receive only rule and count; the detail (place,
// stretch, configured word) is for the operator's events. The strategy warn reports a value once per run.
import type { JsonObject, JsonValue } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';
import type { Replaceable } from '../text/replace-hits.ts';
import type { TextSpan } from '../text/span.ts';
import { BOUND_RULES, BOUNDS, type Bound } from '../work/bounds.ts';
import { readObject } from './entry-state.ts';
import { hashIdentity, type Identify } from './identity.ts';

/** `rule`: a short constant id, never an operator's text. `detail`: more about the hit, for events. */
export type GuardHit = Replaceable & { rule: string; detail?: JsonObject };

/** Returns the hit's places in the text after the first `by` code units. */
export function clipHit(hit: GuardHit, by: number): TextSpan & { hit: GuardHit; token?: TextSpan } {
  const clip = ({ start, end }: TextSpan): TextSpan => ({ start: Math.max(0, start - by), end: end - by });
  return { hit, ...clip(hit), ...(hit.token && { token: clip(hit.token) }) };
}

type Strategy = 'block' | 'redact' | 'warn' | 'filter' | 'rewrite';
export type Reporting = {
  strategy: Strategy;
  response?: string | undefined;
  describe(rules: readonly string[]): string;
};
type ReportArgs = Pick<CommonArgs, 'abort' | 'halt' | 'onViolation' | 'state'>;

/** Maximum number of hits per rule that a report lists; the count includes all. */
const MAX_LISTED = 20;
/** Maximum number of warned values that an entry remembers; others are reported again. */
const MAX_WARNED = 1_000;

export type ViolationReport = {
  /** @param text that contains the hits */
  add(hits: readonly GuardHit[], text: string, where: JsonObject): void;
  /** Reports the added hits. Throws (abort, halt) if the strategy is block. */
  send(): void;
};

/** @param identify returns known identities, for reports with thousands of values */
export function createReport(
  { strategy, response, describe }: Reporting,
  args: ReportArgs,
  identify: Identify = hashIdentity,
): ViolationReport {
  const byRule = new Map<string, { count: number; hits: JsonValue[] }>();
  const isNew = strategy === 'warn' ? createMemory(args.state, identify) : undefined;
  return {
    add(hits, text, where) {
      for (const { rule, start, end, detail } of hits) {
        if (isNew && !isNew(rule, text.slice(start, end))) continue;
        const group = byRule.get(rule) ?? { count: 0, hits: [] };
        byRule.set(rule, group);
        group.count += 1;
        if (group.hits.length < MAX_LISTED) group.hits.push({ ...where, start, end, ...detail });
      }
    },
    send() {
      if (byRule.size === 0) return;
      const rules = [...byRule.keys()];
      for (const [rule, { count, hits }] of byRule) {
        args.onViolation({ message: describe([rule]), rule, strategy, count, detail: { hits } });
      }
      if (strategy === 'block') refuse(args, response, describe(rules), { rules });
    },
  };
}

/** Blocks a text that exceeds a bound, with any strategy. @param limit of an option, if it is lower than the bound */
export function refuseUnjudged(
  args: ReportArgs,
  response: string | undefined,
  bound: Bound,
  limit: number = BOUNDS[bound],
): never {
  const rule = BOUND_RULES[bound];
  const message = `The text cannot be judged: ${rule}, the limit is ${limit}.`;
  args.onViolation({ message, rule, strategy: 'block' });
  return refuse(args, response, message, { rules: [rule] });
}

/**
 * Never returns: halts if `response` is set, otherwise aborts. @param metadata for callers: never the text or a place
 * in it
 */
export function refuse(
  args: Pick<CommonArgs, 'abort' | 'halt'>,
  response: string | undefined,
  reason: string,
  metadata: JsonValue,
): never {
  if (response !== undefined) return args.halt(response, reason);
  return args.abort(reason, { metadata });
}

/** Remembers warned values, because later stages of the run and copies of the answer contain them again. */
function createMemory(state: JsonObject, identify: Identify): (rule: string, value: string) => boolean {
  const warned = readObject(state, 'warned');
  let known = Object.keys(warned).length;
  return (rule, value) => {
    const key = `${rule} ${identify(rule, value)}`;
    if (key in warned) return false;
    if (known < MAX_WARNED) warned[key] = true;
    known += 1;
    return true;
  };
}
