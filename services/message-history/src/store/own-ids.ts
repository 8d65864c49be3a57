// The ids that the orchestrator gives to a run's own messages begin with the run's id. Where such an id stands in the thread
// already, an earlier run had the same id, or a caller has used it: the message is another one and gets another name.
import type { RunBlock } from './history-store.ts';

export function ownIds(runId: string): string {
  return `${runId}.`;
}

/** The same for the same block, so that saving again is saving once. @param number of the block in its thread */
export function renamedOwn(block: RunBlock, number: number): RunBlock {
  const own = ownIds(block.runId);
  const messages = block.messages.map((message) =>
    message.id.startsWith(own) ? { ...message, id: `${message.id}~${number}` } : message,
  );
  return { ...block, messages };
}
