// Formats a report: one line for each passed rule, and message and page of each violation. Pure.
import type { CheckReport } from './check-processor.ts';
import type { RuleResult } from './run-rule.ts';

export function formatReport(report: CheckReport): string {
  const { processor, version, service, replicas, results, seed } = report;
  const printedPromises = new Map<string, string>();
  const lines = results.flatMap((result) => formatRule(result, printedPromises));
  const count = (which: RuleResult['result']) => results.filter(({ result }) => result === which).length;
  const slow = count('slow') === 0 ? '' : `, ${count('slow')} cannot be judged on this busy machine`;
  const summary = `${count('held')} rules hold, ${count('broken')} are broken${slow}, ${count('skipped')} do not concern it (seed ${seed})`;
  return [
    `${processor} ${version} of ${service}, ${replicas === 1 ? 'one replica' : `${replicas} replicas`}`,
    ...lines,
    summary,
  ].join('\n');
}

/** One mistake may violate several rules: it is printed once. */
function formatRule(
  { rule, promise, result, problem, seen, page }: RuleResult,
  printedPromises: Map<string, string>,
): string[] {
  switch (result) {
    case 'held':
      return [`  held     ${rule}: ${promise}`];
    case 'skipped':
      return [`  skipped  ${rule}: ${problem ?? ''}`];
    case 'slow':
      return [`  slow     ${rule}: ${problem ?? ''}`];
    case 'broken': {
      const before = printedPromises.get(problem ?? '');
      if (before !== undefined) return [`  BROKEN   ${rule}: as ${before}`];
      printedPromises.set(problem ?? '', rule);
      return [
        `  BROKEN   ${rule}: it does not hold that it ${promise}`,
        `           ${problem ?? ''}`,
        ...(seen === undefined ? [] : [`           in ${seen}`]),
        `           see docs/wire.md, "${page}"`,
      ];
    }
  }
}
