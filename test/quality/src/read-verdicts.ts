// Reads the verdicts of a guard: whether it caught the text, by which rules, and where its findings are.
import type { Verdict } from '@millrace/contracts';
import { z } from 'zod';

export type SampleJudgement = {
  isCaught: boolean;
  /** Rules of the violations. */
  rules: string[];
};
export type FoundSpan = { type: string; start: number; end: number };
/** `unlisted`: number of hits per type that were counted but not listed; a report lists the first hits of a rule. */
export type FoundSpans = { spans: FoundSpan[]; unlisted: ReadonlyMap<string, number> };

/** The model of a guard, and the agent's policy if it fails. */
export type GuardModel = { baseUrl: string; onFailure: 'fail' | 'skip' };
/** Rule of a text that stopped the run because the model failed. */
export const NOT_JUDGED = 'not-judged';

/**
 * @param guardAt index of the guard with changes that count: changes of the normalizer are no finding. @throws if a guard
 * failed
 */
export function toJudgement(
  verdicts: readonly Verdict[],
  guardAt: number,
  model: GuardModel | undefined,
): SampleJudgement {
  for (const verdict of verdicts) {
    if (verdict.type !== 'failure') continue;
    if (!model || verdict.code !== 'model-call-failed')
      throw new Error(`A guard failed: ${verdict.message} (${verdict.code})`);
    return model.onFailure === 'skip' ? { isCaught: false, rules: [] } : { isCaught: true, rules: [NOT_JUDGED] };
  }
  const stopped = verdicts.some(({ type }) => type !== 'continue');
  const last = verdicts[guardAt];
  const changed = last !== undefined && 'changes' in last && Object.keys(last.changes ?? {}).length > 0;
  const rules = verdicts.flatMap((verdict) => ('violations' in verdict ? (verdict.violations ?? []) : []));
  return { isCaught: stopped || changed, rules: [...new Set(rules.map(({ rule = 'no rule' }) => rule))] };
}

const detailSchema = z.object({ hits: z.array(z.object({ start: z.number(), end: z.number() })) });

/** @throws if the guard failed or rejected the text */
export function readSpans(verdicts: readonly Verdict[]): FoundSpans {
  const [verdict] = verdicts;
  if (verdict?.type !== 'continue') throw new Error(`The guard did not judge the text: ${JSON.stringify(verdict)}`);
  const violations = verdict.violations ?? [];
  const spans = violations.flatMap(({ rule: type = '', detail }) =>
    (detailSchema.safeParse(detail).data?.hits ?? []).map(({ start, end }) => ({ type, start, end })),
  );
  const unlisted = new Map(
    violations.map(({ rule = '', count = 1, detail }) => [
      rule,
      count - (detailSchema.safeParse(detail).data?.hits.length ?? 0),
    ]),
  );
  return { spans, unlisted };
}
