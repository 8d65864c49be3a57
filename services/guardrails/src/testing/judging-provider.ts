// A provider for tests of what models judge: a real HTTP server, and the models that ask it.
import { createModels } from '@millrace/models';
import { startTestProvider, type TestProvider } from '@millrace/models/testing';
import { afterAll, beforeAll } from 'vitest';
import type { GuardModels } from '../model/guard-models.ts';

export type JudgingProvider = { provider: TestProvider; models: GuardModels };

/** There while the tests run. */
export function useJudgingProvider(): JudgingProvider {
  let provider: TestProvider | undefined;
  const there = (): TestProvider => {
    if (!provider) throw new Error('useJudgingProvider: the provider is there only while the tests run');
    return provider;
  };
  beforeAll(async () => {
    provider = await startTestProvider();
  });
  afterAll(() => provider?.close());
  return {
    get provider() {
      return there();
    },
    models: {
      generateObject: (request) => createModels({ apiKey: 'none', baseUrl: there().baseUrl }).generateObject(request),
    },
  };
}

/** The judged text of a request, between its marks. */
export function judgedText(request: { body: object }): string {
  const found = /BEGIN-TEXT-(\w+)\\n([^]*?)\\nEND-TEXT-\1/.exec(promptOf(request));
  return found ? String(JSON.parse(`"${found[2]}"`)) : '';
}

/** What the request says after its system message, as JSON. */
function promptOf({ body }: { body: object }): string {
  const messages: unknown = Reflect.get(body, 'input') ?? Reflect.get(body, 'messages');
  return Array.isArray(messages) ? JSON.stringify(messages.at(-1)) : '';
}
