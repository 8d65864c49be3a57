import { createModels } from '@millrace/models';
import { expect, test } from 'vitest';
import { agentSchema } from '@millrace/contracts';
import { listUnknownModels } from './agents-api.ts';

test('A model of a provider that is not configured is reported with its place and the configured providers', () => {
  const models = createModels({ apiKey: 'none' });
  const list = (model: unknown) => listUnknownModels(agentSchema.parse({ name: 'demo', model }), models);
  expect(list(['openai/gpt-5-mini', { use: 'groq/llama' }])).toMatchObject([
    { path: 'model[1]', message: expect.stringContaining('"groq"'), remedy: expect.stringContaining('openai-chat') },
  ]);
  expect(list('groq/llama')).toMatchObject([{ path: 'model' }]);
  expect(list('openai-chat/any')).toEqual([]);
});
