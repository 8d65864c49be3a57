// Implements the verbs on API keys for operators. The tenant is that of the subject, so a key never leaves its tenant.
import { MillraceError, type ApiAddress, type ApiAnswer, type ApiRequest, type KeyRecord } from '@millrace/contracts';
import { createApiKey, spellApiKey } from '@millrace/identity';
import { createKeyRecord, toShownKey } from './key-rules.ts';
import type { KeyStore } from './key-store.ts';

type Verb = 'keys-create' | 'keys-list' | 'keys-revoke';
export type KeysApi = { [V in Verb]: (request: ApiRequest<V>, call: ApiAddress) => Promise<ApiAnswer<V>> };

/** @param report called with each created and each revoked key, for the log */
export function createKeysApi(
  store: Pick<KeyStore, 'add' | 'list' | 'remove'>,
  report: (action: 'created' | 'revoked', key: Pick<KeyRecord, 'id' | 'tenant'>) => void,
): KeysApi {
  return {
    async 'keys-create'(request, call) {
      const key = createApiKey();
      const record = createKeyRecord(call.tenant, request, key, Date.now());
      // An id is used once, also after a revocation.
      if (!(await store.add(record))) throw new MillraceError('state-conflict', `There was a key ${key.id} already.`);
      report('created', record);
      return { ...toShownKey(record), key: spellApiKey(key) };
    },
    async 'keys-list'({ limit, after = '' }, call) {
      const rest = store.list(call.tenant).filter(({ id }) => id > after);
      const page = rest.slice(0, limit);
      const last = page.at(-1);
      return { keys: page.map(toShownKey), ...(last && page.length < rest.length && { next: last.id }) };
    },
    async 'keys-revoke'({ id }, call) {
      if (!(await store.remove(call.tenant, id))) throw createUnknownError(id);
      report('revoked', { id, tenant: call.tenant });
      return { id };
    },
  };
}

function createUnknownError(id: string): MillraceError {
  return new MillraceError('key-unknown', `The tenant has no API key "${id}".`, {
    path: 'id',
    remedy: 'List the keys: millrace api-keys list.',
  });
}
