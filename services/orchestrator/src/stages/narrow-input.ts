// A stage call carries only what its processors said they read, so that the cost of a stage does not grow with the thread.
import type { PlanEntry, Reads, StageInput } from '@millrace/contracts';

/** Members of a stage's input that are sent only to who reads them, under the name of what is read. */
const NEEDS: readonly Reads[] = ['prompt', 'steps', 'chunks', 'tools'];

export function narrowInput(input: StageInput, entries: readonly PlanEntry[]): StageInput {
  const reads = new Set(entries.flatMap((entry) => entry.reads));
  const unread = new Set<string>(NEEDS.filter((need) => !reads.has(need)));
  const kept = Object.entries(input).filter(([key]) => !unread.has(key));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object with fewer of its optional members
  const narrow = Object.fromEntries(kept) as StageInput;
  const { conversation } = input;
  if (!conversation) return narrow;
  return {
    ...narrow,
    conversation: {
      entries: conversation.entries.filter((entry) => reads.has(entry.source)),
      system: reads.has('system') ? conversation.system : [],
    },
  };
}
