// Chooses a server for the models of one service.
import type { KeyedServer } from './provider-config.ts';

/**
 * Returns `own` if it has an address, without the key of `common`: that key never reaches another server. Returns nothing if `own` is
 * empty: the service uses the providers of all.
 */
export function chooseProvider(own: KeyedServer, common: KeyedServer): KeyedServer {
  if (own.baseUrl !== undefined) return own;
  return own.apiKey === undefined ? {} : { apiKey: own.apiKey, baseUrl: common.baseUrl };
}
