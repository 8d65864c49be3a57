// Limits the suspended runs of a caller: each run with tools of the caller may wait for an hour.
import { CLIENT_TOOL_LIMITS, MillraceError } from '@millrace/contracts';
import type { ApiCall } from '@millrace/bus';
import { createRunMatch } from './run-list.ts';
import type { RunIndex } from './run-index.ts';

/** Without an index of runs, nothing is limited. @throws too-many-runs */
export function refuseTooManyWaiting(index: RunIndex | undefined, { tenant, caller }: ApiCall): void {
  const limit = CLIENT_TOOL_LIMITS.maxWaitingRuns;
  const isWaiting = createRunMatch({ status: 'suspended' }, { caller });
  const page = index?.findRecent(tenant)?.select(isWaiting, { limit, after: 0 });
  if (page?.next === undefined && (page?.runs.length ?? 0) < limit) return;
  throw new MillraceError('too-many-runs', `This caller has ${limit} suspended runs.`, {
    path: 'clientTools',
    remedy: 'Answer or release them first.',
  });
}
