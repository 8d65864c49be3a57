// Chooses between the provider of all services and a server for one of them.
import type { ModelsOptions } from './create-models.ts';

type ProviderSettings = { [Name in keyof ModelsOptions]: ModelsOptions[Name] | undefined };

/** Returns `own` if it has an address, without the key of `common`: that key never reaches another server. */
export function chooseProvider(own: ProviderSettings, common: ProviderSettings): ProviderSettings {
  if (own.baseUrl !== undefined) return own;
  return { apiKey: own.apiKey ?? common.apiKey, baseUrl: common.baseUrl };
}
