// Provides a real HTTP server as the provider of judging models, and models that use it.
import { createModels } from '@millrace/models';
import { startTestProvider, type TestProvider } from '@millrace/models/testing';
import { afterAll, beforeAll } from 'vitest';
import type { GuardModels } from '../model/guard-models.ts';

export type JudgingProvider = { provider: TestProvider; models: GuardModels };

/** Runs while the tests run. */
export function useJudgingProvider(): JudgingProvider {
  let provider: TestProvider | undefined;
  const getProvider = (): TestProvider => {
    if (!provider) throw new Error('useJudgingProvider: the provider runs only during the tests');
    return provider;
  };
  beforeAll(async () => {
    provider = await startTestProvider();
  });
  afterAll(() => provider?.close());
  return {
    get provider() {
      return getProvider();
    },
    models: {
      generateObject: (request) =>
        createModels({ apiKey: 'none', baseUrl: getProvider().baseUrl }).generateObject(request),
    },
  };
}

/** Returns the judged text of a request, between its marks. */
export function readJudgedText(request: { body: object }): string {
  const found = /BEGIN-TEXT-(\w+)\\n([^]*?)\\nEND-TEXT-\1/.exec(readPrompt(request));
  return found ? String(JSON.parse(`"${found[2]}"`)) : '';
}

/** Returns the request after its system message, as JSON. */
function readPrompt({ body }: { body: object }): string {
  const messages: unknown = Reflect.get(body, 'input') ?? Reflect.get(body, 'messages');
  return Array.isArray(messages) ? JSON.stringify(messages.at(-1)) : '';
}

/** Flags texts with "vile" as hate, and "Ada" as a name. */
export const FIXED_MODELS: GuardModels = {
  generateObject: ({ schema, prompt }) =>
    Promise.resolve(
      schema['title'] === 'moderation'
        ? { scores: { hate: prompt.includes('vile') ? 1 : 0 } }
        : { found: prompt.includes('Ada') ? [{ type: 'name', value: 'Ada' }] : [] },
    ),
};
