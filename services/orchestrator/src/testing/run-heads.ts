// The entry that owns a run, as its first owner writes it.
import type { RunHead } from '@millrace/contracts';

export function createHead(runId: string, more: Partial<RunHead> = {}): RunHead {
  return {
    tenant: 'acme',
    runId,
    agent: 'demo',
    requestHash: 'hash',
    status: 'running',
    owner: 'owner-1',
    epoch: 1,
    write: 0,
    command: 7,
    records: 0,
    nextIndex: 0,
    owners: [{ epoch: 1, index: 0, firstRecord: 0 }],
    takeovers: 0,
    submittedAt: 1,
    startedAt: 1,
    deadlineAt: 2,
    ...more,
  };
}
