// The orchestrator prefixes the ids of a run's own messages with the run's id. If the thread already holds such an id,
// an earlier run had the same run id or a caller used it: the message is a different one and is renamed.
import type { HistoryBlock } from './history-store.ts';

export function buildOwnPrefix(runId: string): string {
  return `${runId}.`;
}

/**
 * Renames deterministically per block, so that a repeated save has no effect. @param number of the block in its thread
 */
export function renameOwnIds(block: HistoryBlock, number: number): HistoryBlock {
  const own = buildOwnPrefix(block.runId);
  const messages = block.messages.map((message) =>
    message.id.startsWith(own) ? { ...message, id: `${message.id}~${number}` } : message,
  );
  return { ...block, messages };
}
