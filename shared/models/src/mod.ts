// Language model and embedder by the provider's client alone.
export { chooseProvider } from './providers/choose-provider.ts';
export { classifyFailure, CUT_OFF } from './classify-failure.ts';
export { createModels, type Models, type ModelsOptions } from './create-models.ts';
export type { Embedder } from './embedder.ts';
export type { GenerateObjectRequest, ModelFile } from './generate-object.ts';
export { hideKeys } from './own-keys.ts';
export { fromModelError, readCallCode, RESPONSE_BODY_MAX_CHARS, toModelError } from './model-error.ts';
export { suggestRemedy } from './provider-remedy.ts';
export {
  OPENAI_BASE_URL,
  providerEnvironmentSchema,
  readProviders,
  type Providers,
} from './providers/provider-config.ts';
