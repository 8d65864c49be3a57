// Restricts a processor's input to its declared reads, so that the cost of a stage does not grow with the thread. A
// merged call carries the union of its processors' reads; each processor still sees only its own.
import type { Reads } from '../base/stage.ts';
import type { StageInput } from './stage-call.ts';

/** Members of a stage's input that require a read, with its name. */
const NEEDS: Partial<Record<keyof StageInput, Reads>> = {
  prompt: 'prompt',
  steps: 'steps',
  chunks: 'chunks',
  tools: 'tools',
  request: 'request',
  rawResponse: 'request',
};
const needs: readonly (readonly [string, Reads])[] = Object.entries(NEEDS);

export function narrowInput(input: StageInput, reads: readonly Reads[]): StageInput {
  const { conversation } = input;
  const narrow = omitUnread(input, reads);
  if (!conversation || isFullyRead(conversation, reads)) return narrow;
  return {
    ...narrow,
    conversation: {
      entries: conversation.entries.filter((entry) => reads.includes(entry.source)),
      system: reads.includes('system') ? conversation.system : [],
    },
  };
}

function omitUnread(input: StageInput, reads: readonly Reads[]): StageInput {
  const unread = needs.flatMap(([member, need]) => (member in input && !reads.includes(need) ? [member] : []));
  if (unread.length === 0) return input;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the same object with fewer of its optional members
  return Object.fromEntries(Object.entries(input).filter(([key]) => !unread.includes(key))) as StageInput;
}

function isFullyRead({ entries, system }: NonNullable<StageInput['conversation']>, reads: readonly Reads[]): boolean {
  return (system.length === 0 || reads.includes('system')) && entries.every(({ source }) => reads.includes(source));
}
