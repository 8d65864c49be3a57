// Provides a real HTTP server as the provider of judging models, and models that use it.
import { createModels } from '@millrace/models';
import { startTestProvider, type TestProvider } from '@millrace/models/testing';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { createGuardModels, type GuardModels } from '../model/guard-models.ts';
import { createModelBudget } from '../model/model-budget.ts';

export type JudgingProvider = { readonly provider: TestProvider; readonly models: GuardModels };

/** Runs while the tests run. Each test has an empty cache and a budget of its own. */
export function useJudgingProvider(): JudgingProvider {
  let provider: TestProvider | undefined;
  let models: GuardModels | undefined;
  const getProvider = (): TestProvider => {
    if (!provider) throw new Error('useJudgingProvider: the provider runs only during the tests');
    return provider;
  };
  beforeAll(async () => {
    provider = await startTestProvider();
  });
  beforeEach(() => {
    models = createGuardModels(createModels({ apiKey: 'none', baseUrl: getProvider().baseUrl }));
  });
  afterAll(() => provider?.close());
  return {
    get provider() {
      return getProvider();
    },
    get models() {
      if (!models) throw new Error('useJudgingProvider: the models exist only during the tests');
      return models;
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

const UNLIMITED = createModelBudget({ maxCalls: Infinity, maxCharacters: Infinity, maxRuns: 1 });

/** Flags texts with "vile" as hate and for every question, and "Ada" as a name. */
export const FIXED_MODELS: GuardModels = createGuardModels(
  {
    generateObject: ({ schema, prompt }) => {
      const score = prompt.includes('vile') ? 1 : 0;
      if (schema['title'] === 'moderation') return Promise.resolve({ scores: { hate: score } });
      if (schema['title'] === 'summary') return Promise.resolve({ summary: 'Earlier.' });
      if (schema['title'] === 'judge') return Promise.resolve({ scores: { question: score } });
      return Promise.resolve({ found: prompt.includes('Ada') ? [{ type: 'name', value: 'Ada' }] : [] });
    },
  },
  { budget: UNLIMITED },
);
