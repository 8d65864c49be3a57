// What stands in for the judging model, as `--model` says it.

/** `scripted`: answers by the label of the line, and wrongly on a share of the lines; `outage`, `quota`: answers nobody. */
export type JudgeSpec = { kind: 'scripted'; errorRate: number } | { kind: 'outage' } | { kind: 'quota' };

/** @throws where the flag is none of the three */
export function judgeSpec(flag: string): JudgeSpec {
  if (flag === 'outage' || flag === 'quota') return { kind: flag };
  const rate = /^scripted(?::(0(?:\.\d+)?|1))?$/.exec(flag);
  if (!rate) throw new Error(`--model is scripted, scripted:<error rate from 0 to 1>, outage or quota; not "${flag}"`);
  return { kind: 'scripted', errorRate: Number(rate[1] ?? 0) };
}
