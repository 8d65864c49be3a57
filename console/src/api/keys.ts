// API keys of the tenant.
import type { ApiAnswer, KeyRequest } from '@millrace/contracts';
import { requestJson } from './request.ts';

export { keysQuery } from './operations.ts';
export type CreatedKey = ApiAnswer<'keys-create'>;

export const createKey = (request: KeyRequest): Promise<CreatedKey> =>
  requestJson('/v1/keys', { method: 'POST', body: request });
export const revokeKey = (id: string): Promise<unknown> => requestJson(`/v1/keys/${id}`, { method: 'DELETE' });
