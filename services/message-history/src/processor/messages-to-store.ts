// What of a run is stored: the caller's messages as the guards let them through, then the response. Never system messages.
import type { Message, RunRef } from '@millrace/contracts';

/**
 * The messages of a run's block, in order. Ids are kept; a message without one gets `<run>.<position>`, so that a save that is
 * repeated names it the same. Thread and resource are the run's, whatever the messages say of themselves.
 */
export function messagesToStore(
  run: Pick<RunRef, 'runId' | 'threadId' | 'resourceId'>,
  input: readonly Message[],
  response: readonly Message[],
): Message[] {
  const own = [...input, ...response].filter((message) => message.role !== 'system');
  const { threadId, resourceId } = run;
  const named = own.map(({ resourceId: _, ...message }, position) => ({
    ...message,
    id: message.id === '' ? `${run.runId}.${position}` : message.id,
    threadId,
    ...(resourceId !== undefined && { resourceId }),
  }));
  // The response wins over an input of the same id: it is what the model answered, and the input may be the caller's copy of it.
  return [...new Map(named.map((message) => [message.id, message])).values()];
}
