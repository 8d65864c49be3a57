// The blocks that a list of messages made by `messagesOfRun` consists of.
import type { Message } from '@millrace/contracts';

export type FoundBlock = { runId: string; size: number };

/**
 * Adjacent messages of one run, whose positions count up from 0. A block that is torn apart, or that does not begin with its first
 * message, is found as several or with the size NaN.
 */
export function blocksOf(messages: readonly Message[]): FoundBlock[] {
  const blocks: FoundBlock[] = [];
  for (const { id } of messages) {
    const [runId = '', position = ''] = id.split('.');
    const last = blocks.at(-1);
    if (last?.runId === runId && Number(position) === last.size) last.size += 1;
    else blocks.push({ runId, size: Number(position) === 0 ? 1 : Number.NaN });
  }
  return blocks;
}
