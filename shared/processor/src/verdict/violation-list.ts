// Collects the violations of one entry in one stage: the first ones as reported, and one that counts the rest. A guard
// with very many hits must not answer with megabytes.
import { MAX_VIOLATIONS, type Violation } from '@millrace/contracts';
import { boundJson, boundText } from './bounded.ts';

type ReportedViolation = Omit<Violation, 'processorId'>;
export type ViolationList = {
  add(violation: ReportedViolation): void;
  listAll(): Violation[];
};

export function createViolationList(processorId: string): ViolationList {
  const kept: Violation[] = [];
  let more = 0;
  return {
    add({ message, rule, strategy, count, detail }) {
      if (kept.length >= MAX_VIOLATIONS) {
        more += count ?? 1;
        return;
      }
      kept.push({
        processorId,
        message: boundText(message),
        ...(rule !== undefined && { rule: boundText(rule) }),
        ...(strategy !== undefined && { strategy: boundText(strategy) }),
        ...(count !== undefined && { count }),
        ...(detail !== undefined && { detail: boundJson(detail) }),
      });
    },
    listAll: () =>
      more === 0
        ? kept
        : [...kept, { processorId, message: 'Findings above the limit are counted only.', count: more }],
  };
}
