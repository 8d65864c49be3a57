// What a guard tells of its hits: for each rule one violation, with a count. Callers see rule and count alone; the detail (where,
// which stretch, which configured word) is for the operator's events. A value that is only warned of is told once in a run.
import type { JsonObject, JsonValue } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';
import type { Replaceable } from '../text/replace-hits.ts';
import { BOUND_RULES, BOUNDS, type Bound } from './bounds.ts';
import { objectIn } from './entry-state.ts';
import { identityOf, type Identify } from './identity.ts';

/** `rule`: a short id that does not change, never what an operator configured. `detail`: more of it, for events. */
export type Hit = Replaceable & { rule: string; detail?: JsonObject };

type Strategy = 'block' | 'redact' | 'warn' | 'filter' | 'rewrite';
export type Reporting = {
  strategy: Strategy;
  response?: string | undefined;
  describe(rules: readonly string[]): string;
};
type Args = Pick<CommonArgs, 'abort' | 'halt' | 'onViolation' | 'state'>;

/** Hits of a rule that a report lists; it always counts all of them. */
const MAX_LISTED = 20;
/** Values that an entry remembers having warned of; more are told again. */
const MAX_WARNED = 1_000;

export type Report = {
  /** @param text where the hits are */
  add(hits: readonly Hit[], text: string, where: JsonObject): void;
  /** Tells of what was added. Throws (abort, halt) with strategy block. */
  send(): void;
};

/** @param identify for what is told of in thousands: identities that are known already */
export function createReport(
  { strategy, response, describe }: Reporting,
  args: Args,
  identify: Identify = identityOf,
): Report {
  const byRule = new Map<string, { count: number; hits: JsonValue[] }>();
  const isNew = strategy === 'warn' ? createMemory(args.state, identify) : undefined;
  return {
    add(hits, text, where) {
      for (const { rule, start, end, detail } of hits) {
        if (isNew && !isNew(rule, text.slice(start, end))) continue;
        const told = byRule.get(rule) ?? { count: 0, hits: [] };
        byRule.set(rule, told);
        told.count += 1;
        if (told.hits.length < MAX_LISTED) told.hits.push({ ...where, start, end, ...detail });
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

/** Blocks what the guard cannot judge, whatever its strategy. */
export function refuseUnjudged(args: Args, response: string | undefined, bound: Bound): never {
  const rule = BOUND_RULES[bound];
  const message = `The text cannot be judged: ${rule}, the limit is ${BOUNDS[bound]}.`;
  args.onViolation({ message, rule, strategy: 'block' });
  return refuse(args, response, message, { rules: [rule] });
}

/** Never returns: halts where `response` is set, else aborts. @param metadata for callers: never the text, never a place in it */
export function refuse(
  args: Pick<CommonArgs, 'abort' | 'halt'>,
  response: string | undefined,
  reason: string,
  metadata: JsonValue,
): never {
  if (response !== undefined) return args.halt(response, reason);
  return args.abort(reason, { metadata });
}

/** What is warned of is met again in every later stage of the run, and in every copy of the answer. */
function createMemory(state: JsonObject, identify: Identify): (rule: string, value: string) => boolean {
  const warned = objectIn(state, 'warned');
  let known = Object.keys(warned).length;
  return (rule, value) => {
    const key = `${rule} ${identify(rule, value)}`;
    if (key in warned) return false;
    if (known < MAX_WARNED) warned[key] = true;
    known += 1;
    return true;
  };
}
