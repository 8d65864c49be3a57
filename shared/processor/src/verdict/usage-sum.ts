// Adds up the usage that an entry reports in one call or session.
import { MAX_REPORTED_TOKENS, processorUsageSchema, type ProcessorUsage } from '@millrace/contracts';

const COUNTS = ['modelCalls', 'inputTokens', 'outputTokens'] as const;

export type UsageSum = {
  /** @throws RangeError for a count that is no integer from 0 to MAX_REPORTED_TOKENS */
  add(usage: ProcessorUsage): void;
  /** Returns the sum, each count at most MAX_REPORTED_TOKENS. Returns undefined if nothing was reported. */
  read(): ProcessorUsage | undefined;
};

export function createUsageSum(entry: string): UsageSum {
  let sum: ProcessorUsage | undefined;
  return {
    add(usage) {
      const { success, data } = processorUsageSchema.safeParse(usage);
      if (!success) {
        const given = JSON.stringify(usage ?? null);
        throw new RangeError(
          `"${entry}" reported the usage ${given.slice(0, 200)}: pass ${COUNTS.join(', ')}, each an integer from 0 to ${MAX_REPORTED_TOKENS}.`,
        );
      }
      sum ??= {};
      for (const name of COUNTS) {
        const more = data[name];
        if (more !== undefined) sum[name] = Math.min((sum[name] ?? 0) + more, MAX_REPORTED_TOKENS);
      }
    },
    read: () => sum,
  };
}
