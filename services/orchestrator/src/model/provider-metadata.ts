// Filters the provider's metadata by an allow-list of names: ids, states, counts, references and opaque data.
// Everything else is dropped, in particular `logprobs`, which repeats the answer token by token in a form that no guard
// can judge.
import { isObject, type JsonObject, type JsonValue } from '@millrace/contracts';

const PASSED: ReadonlySet<string> = new Set([
  'acceptedPredictionTokens',
  'annotations',
  'approvalRequestId',
  'caller',
  'containerId',
  'encryptedContent',
  'fileId',
  'filename',
  'index',
  'itemId',
  'namespace',
  'phase',
  'reasoningEncryptedContent',
  'redactedData',
  'rejectedPredictionTokens',
  'responseId',
  'serviceTier',
  'signature',
  'thoughtSignature',
  'type',
]);

export type ProviderMetadata = Record<string, JsonObject>;

/** Returns the metadata as a member of a payload, or nothing if none of it passes. */
export function readProviderMetadata(part: { providerMetadata?: unknown }): { providerMetadata?: ProviderMetadata } {
  const providerMetadata = filterMetadata(part.providerMetadata);
  return providerMetadata ? { providerMetadata } : {};
}

/** Grouped by provider. */
export function filterMetadata(given: unknown): ProviderMetadata | undefined {
  if (!isObject(given)) return undefined;
  const passed = Object.entries(given).flatMap(([provider, members]) => {
    const own = isObject(members) ? filterMembers(members) : {};
    return Object.keys(own).length > 0 ? [[provider, own] as const] : [];
  });
  return passed.length > 0 ? Object.fromEntries(passed) : undefined;
}

function filterMembers(members: object): JsonObject {
  return Object.fromEntries(
    Object.entries(members).flatMap(([name, value]: [string, JsonValue | undefined]) =>
      PASSED.has(name) && value !== undefined && value !== null ? [[name, value] as const] : [],
    ),
  );
}
