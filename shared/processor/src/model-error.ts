// A model call's error as it came over the wire, rebuilt under the marker that the provider packages look for, so that
// APICallError.isInstance(error) holds in a processor that imports @ai-sdk/provider itself.
import type { ModelError } from '@millrace/contracts';

const errorMarker = Symbol.for('vercel.ai.error');
const callMarker = Symbol.for('vercel.ai.error.AI_APICallError');

export function fromModelError(error: ModelError | undefined): Error {
  const { message = 'The model call failed.', name = 'AI_APICallError', ...rest } = error ?? {};
  const rebuilt = Object.assign(new Error(message), { requestBodyValues: {}, ...rest });
  rebuilt.name = name;
  return Object.assign(rebuilt, { [errorMarker]: true, [callMarker]: true });
}
