// Splits messages made by `messagesOfRun` into their blocks.
import type { Message } from '@millrace/contracts';

export type FoundBlock = { runId: string; size: number };

/**
 * Groups adjacent messages of one run if their positions count up from 0. A torn block appears as several; a block without
 * its first message has the size NaN.
 */
export function findBlocks(messages: readonly Message[]): FoundBlock[] {
  const blocks: FoundBlock[] = [];
  for (const { id } of messages) {
    const [runId = '', position = ''] = id.split('.');
    const last = blocks.at(-1);
    if (last?.runId === runId && Number(position) === last.size) last.size += 1;
    else blocks.push({ runId, size: Number(position) === 0 ? 1 : Number.NaN });
  }
  return blocks;
}
