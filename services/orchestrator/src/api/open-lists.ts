// Resolves the processors in the lists of an operator's run: an operator may list any running processor.
import type { Plan, RunRequest, StoredRequest } from '@millrace/contracts';
import { readKnown, type KnownPeers } from '../agents/entry-uses.ts';
import { openUses } from '../agents/overridable.ts';
import type { Discovery } from '../peers/discovery.ts';
import { hasOverrides, overrideUses } from '../settings/override-plan.ts';
import { createIssuesError } from './request-issues.ts';

export type OpenedPeers = KnownPeers & Pick<Discovery, 'refresh'>;

/**
 * Returns the member of the stored request; none if the request has neither lists nor retries.
 * @throws run-refused for a processor that no service serves, and for a memory
 */
export async function openLists(
  request: RunRequest,
  plan: Plan,
  discovery: OpenedPeers,
): Promise<Pick<StoredRequest, 'opened'>> {
  if (!hasOverrides(request)) return {};
  const uses = overrideUses(request);
  const known = openUses(uses, plan, readKnown(discovery));
  if ('opened' in known) return known;
  await discovery.refresh();
  const found = openUses(uses, plan, readKnown(discovery));
  if ('issues' in found) throw createIssuesError(found.issues);
  return found;
}
