// Adds up the usage that an entry reports in one call or session.
import {
  MAX_REPORTED_MODELS,
  MAX_REPORTED_TOKENS,
  reportedUsageSchema,
  type ProcessorUsage,
  type ReportedUsage,
  type VerdictUsage,
} from '@millrace/contracts';

const COUNTS = ['modelCalls', 'inputTokens', 'outputTokens'] as const;

export type UsageSum = {
  /** @throws RangeError for a count that is no integer from 0 to MAX_REPORTED_TOKENS, or for a model that is no id */
  add(usage: ReportedUsage): void;
  /** Returns the sum, each count at most MAX_REPORTED_TOKENS. Returns undefined if nothing was reported. */
  read(): VerdictUsage | undefined;
};

export function createUsageSum(entry: string): UsageSum {
  let sum: ProcessorUsage | undefined;
  const models = new Map<string, ProcessorUsage>();
  return {
    add(usage) {
      const { success, data } = reportedUsageSchema.safeParse(usage);
      if (!success) {
        const given = JSON.stringify(usage ?? null);
        throw new RangeError(
          `"${entry}" reported the usage ${given.slice(0, 200)}: pass ${COUNTS.join(', ')}, each an integer from 0 to ${MAX_REPORTED_TOKENS}, and the id of the model.`,
        );
      }
      const { model, ...counts } = data;
      sum = addCounts(sum, counts);
      if (model !== undefined && (models.has(model) || models.size < MAX_REPORTED_MODELS))
        models.set(model, addCounts(models.get(model), counts));
    },
    read: () =>
      sum && {
        ...sum,
        ...(models.size > 0 && { models: [...models].map(([model, counts]) => ({ model, ...counts })) }),
      },
  };
}

function addCounts(sum: ProcessorUsage = {}, more: ProcessorUsage): ProcessorUsage {
  const next = { ...sum };
  for (const name of COUNTS) {
    const count = more[name];
    if (count !== undefined) next[name] = Math.min((next[name] ?? 0) + count, MAX_REPORTED_TOKENS);
  }
  return next;
}
