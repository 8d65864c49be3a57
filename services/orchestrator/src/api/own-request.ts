// Assigns a submission to its caller: the subject of the bus names the caller, and the identity in the request has to
// match it. A run of an operator has no identity.
import {
  MillraceError,
  hashCaller,
  isOperator,
  type ApiAddress,
  type RunRequest,
  type StoredRequest,
} from '@millrace/contracts';

/**
 * Returns the request as it is stored: with its caller, and with the caller's own memory.
 * @throws run-refused for an identity that is not the caller's, or the memory of another one
 */
export async function bindRequest(
  request: RunRequest,
  { tenant, caller }: Pick<ApiAddress, 'tenant' | 'caller'>,
): Promise<StoredRequest> {
  const { subject, resourceId = subject } = request;
  if (isOperator(caller)) {
    if (subject === undefined) return request;
    throw createRefusal(
      'subject',
      'An operator submits without a subject.',
      'Leave subject out, or connect as that caller.',
    );
  }
  if (subject === undefined || (await hashCaller(tenant, subject)) !== caller) {
    const remedy = 'Set subject to the identity that the connection was made with.';
    throw createRefusal('subject', `The subject is not the identity of the caller ${caller}.`, remedy);
  }
  if (resourceId !== subject) {
    const remedy =
      'Leave resourceId out. To run for another identity, connect as that caller, which needs the right act-as.';
    throw createRefusal(
      'resourceId',
      `The caller's own memory is that of "${subject}", not of "${resourceId}".`,
      remedy,
    );
  }
  return { ...request, resourceId, caller };
}

function createRefusal(path: string, message: string, remedy: string): MillraceError {
  return new MillraceError('run-refused', message, { path, remedy });
}
