// The runs that orchestrators hold at this moment: their commands are in flight, and their heads name the owner. One at rest is held until its
// command is acknowledged: if its owner is lost before that, the next one publishes its last chunk again.
import { listInFlight, type InFlight, type JetStreamAccess } from '@millrace/bus';
import { locateHead } from '../head/run-head.ts';

/** `revision`: of the head, which its owner moves with each checkpoint. */
export type HeldRun = InFlight & { owner: string; revision: number };

/** Heads that are read at once. */
const MAX_READS_AT_ONCE = 32;

/** @throws bus-unreachable, store-unavailable */
export async function findHeldRuns(access: JetStreamAccess): Promise<HeldRun[]> {
  const commands = await listInFlight(access);
  const held: HeldRun[] = [];
  for (let at = 0; at < commands.length; at += MAX_READS_AT_ONCE) {
    const some = commands.slice(at, at + MAX_READS_AT_ONCE).map(async (command) => {
      const there = await locateHead(access, command.tenant, command.runId);
      return 'value' in there && there.value.command === command.sequence
        ? [{ ...command, owner: there.value.owner, revision: there.revision }]
        : [];
    });
    held.push(...(await Promise.all(some)).flat());
  }
  return held;
}

/** Whether the owner has written a head in between: it is alive, somewhere that this process does not reach. */
export function hasWritten(before: readonly HeldRun[], now: readonly HeldRun[]): boolean {
  const revisions = new Map(before.map(({ sequence, revision }) => [sequence, revision]));
  return now.some(({ sequence, revision }) => revisions.get(sequence) !== revision);
}
