// Parses the flag `--model`, which selects the scripted judge.

/**
 * `scripted`: answers by the label of the line, and wrongly on a share of the lines. `outage`, `quota`: fails every
 * request.
 */
export type JudgeSpec = { kind: 'scripted'; errorRate: number } | { kind: 'outage' } | { kind: 'quota' };

/** @throws if the flag is none of the three */
export function parseJudgeSpec(flag: string): JudgeSpec {
  if (flag === 'outage' || flag === 'quota') return { kind: flag };
  const rate = /^scripted(?::(0(?:\.\d+)?|1))?$/.exec(flag);
  if (!rate) throw new Error(`--model is scripted, scripted:<error rate from 0 to 1>, outage or quota; not "${flag}"`);
  return { kind: 'scripted', errorRate: Number(rate[1] ?? 0) };
}
