// Stores the changes of a run when its owner ends, suspends or hands it over, before the head of the run is written: an
// erasure waits for that head and then deletes them. Changes that cannot be stored are lost, and the run continues
// without them.
import { toLoggedError, type StoredChanges } from '@millrace/contracts';
import { publishDurably } from '@millrace/bus';
import { hashResource } from '../state/hash-resource.ts';
import type { Run } from '../state/run-context.ts';

/**
 * `accepted`: the run has an answer that every entry has passed. `rejected`: it ended in another way, also by a halt,
 * which rejects the input. `partial`: another owner continues it, and its entries may still mask the texts.
 */
export type RunPhase = 'accepted' | 'rejected' | 'partial';

/** Bound of the message. Above it, every text is a mask. */
const MAX_BYTES = 512 * 1024;

export async function storeChanges(run: Run, phase: RunPhase): Promise<void> {
  const { deps, ref } = run;
  const stored = makeStored(run, phase === 'accepted', phase === 'partial');
  if (!stored) return;
  const { tenant, runId, epoch } = ref;
  const { access } = deps;
  const subject = access.bus.subjects.changes(tenant, runId);
  const id = `${tenant}.${runId}.${epoch}.changes${phase === 'partial' ? '.partial' : ''}`;
  await publishDurably(access, subject, stored, id, { once: true }).catch((error: unknown) =>
    deps.log.warn({ runId, ...toLoggedError(error) }, 'changes of the run are not stored'),
  );
}

function makeStored(run: Run, isAccepted: boolean, isPartial: boolean): StoredChanges | undefined {
  const { changes: log, deps, ref } = run;
  if (!log) return undefined;
  const { tenant, epoch, resourceId } = ref;
  const at = new Date(deps.access.clock.now()).toISOString();
  const owner = resourceId === undefined ? {} : { owner: hashResource(tenant, resourceId) };
  const head = { epoch, ...(isPartial && { isPartial }), at, ...owner };
  const stored = { ...head, ...log.list(isAccepted ? run.getState() : undefined) };
  return Buffer.byteLength(JSON.stringify(stored)) > MAX_BYTES ? { ...head, ...log.list(undefined) } : stored;
}
