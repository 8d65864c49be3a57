// Settles the record of a request when its client has the answer, or has lost the connection.
import type { OpenRequest } from '../agents/client-calls.ts';
import { toHttpError } from '../http/error-status.ts';

/** Yields the frames. @param isBroken returns whether the client has lost its connection, and the run continues */
export async function* settleAfter(
  frames: AsyncGenerator<string, void>,
  opened: OpenRequest | undefined,
  isBroken: (hasEnded: boolean) => boolean,
): AsyncGenerator<string, void> {
  let hasEnded = false;
  try {
    yield* frames;
    hasEnded = true;
  } finally {
    await settle(opened, isBroken(hasEnded));
  }
}

export async function settle(opened: OpenRequest | undefined, isBroken: boolean): Promise<void> {
  await opened?.settle(isBroken ? 'broken' : 'answered');
}

/** After an error of the server the run may have been accepted: the repeated request submits it under the same id. */
export async function settleFailed(opened: OpenRequest, error: unknown): Promise<never> {
  await settle(opened, toHttpError(error).status >= 500);
  throw error;
}
