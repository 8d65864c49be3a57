// Settles the record of a request when its client has the answer, or has lost the connection.
import type { OpenRequest, Outcome } from '../agents/run-mark.ts';
import { onResponseEnd } from '../http/response-end.ts';
import { describeOpenAiError } from './openai-error.ts';

/** Statuses below 500 after which clients repeat a request by themselves. */
const REPEATED: ReadonlySet<number> = new Set([408, 409, 429]);

export const settle = (opened: OpenRequest | undefined, outcome: Outcome): Promise<void> =>
  opened?.settle(outcome) ?? Promise.resolve();

/** Settles when the answer was sent. Returns it. */
export const settleWithResponse = (answer: Response, opened: OpenRequest | undefined): Response =>
  onResponseEnd(answer, (isSent) => void settle(opened, isSent ? 'answered' : 'broken'));

/** Chooses the outcome of an accepted run that has failed. Clients that count no attempts repeat their request after some statuses. */
export function chooseFailure(error: unknown): Outcome {
  const { status } = describeOpenAiError(error);
  return status >= 500 || REPEATED.has(status) ? 'failed' : 'answered';
}
