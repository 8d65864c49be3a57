import { createModels } from '@millrace/models';
import { agentSchema, type AppliedAgent } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { CLOSED, type Circuit } from '../circuits/circuit.ts';
import { createModelsVerb } from './list-models.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');
const models = createModels({ apiKey: 'sk-secret', baseUrl: 'http://provider.internal/v1' });
const applyAgent = (name: string, model: unknown): AppliedAgent =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the verb reads the definition alone
  ({ agent: agentSchema.parse({ name, model }) }) as AppliedAgent;

const ask = (agents: readonly AppliedAgent[], circuits: Readonly<Record<string, Circuit>> = {}) => {
  const byRoute = new Map(Object.entries(circuits).map(([id, circuit]) => [models.identifyRoute(id), circuit]));
  const verb = createModelsVerb({
    agents: { list: (tenant) => (tenant === 'acme' ? [...agents] : []) },
    models,
    circuits: {
      read: (route) => byRoute.get(route) ?? CLOSED,
      readCounts: () => ({ succeeded: 3, failed: 1 }),
    },
    now: () => NOW,
  });
  return verb({}, { tenant: 'acme' });
};
const makeOpen = (until: number, lease?: number): Circuit => ({
  state: 'open',
  cause: 'unavailable',
  opens: 1,
  until: NOW + until,
  ...(lease !== undefined && { lease: { owner: 'o', until: NOW + lease } }),
});

test('The verb models lists each model of the agents once, with the state of its circuit', async () => {
  const agents = [
    applyAgent('a', ['openai/ok', { use: 'openai/down' }]),
    applyAgent('b', ['openai/ok', 'openai/leased', 'openai/due']),
  ];
  const { providers } = await ask(agents, {
    'openai/down': makeOpen(5_000),
    'openai/leased': makeOpen(-1, 9_000),
    'openai/due': makeOpen(-1),
  });
  const counts = { succeeded: 3, failed: 1 };
  const cause = 'unavailable';
  expect(providers).toEqual([
    {
      name: 'openai',
      kind: 'openai',
      hasKey: true,
      models: [
        { id: 'openai/down', state: 'down', cause, until: '2026-11-30T12:00:05.000Z', ...counts },
        { id: 'openai/due', state: 'trying', cause, until: '2026-11-30T11:59:59.999Z', ...counts },
        { id: 'openai/leased', state: 'trying', cause, until: '2026-11-30T12:00:09.000Z', ...counts },
        { id: 'openai/ok', state: 'ok', ...counts },
      ],
    },
    { name: 'openai-chat', kind: 'openai-compatible', hasKey: true, models: [] },
  ]);
});

test('The verb models names models without a provider, bounds its answer, and shows no key and no address', async () => {
  const many = Array.from({ length: 1_003 }, (_, at) => `openai/${String(at).padStart(4, '0')}`);
  const groups = Array.from({ length: 126 }, (_, at) => applyAgent(`m${at}`, many.slice(at * 8, at * 8 + 8)));
  const filled = groups.filter(({ agent }) => [agent.model].flat().length > 0);
  const answer = await ask([applyAgent('x', 'groq/llama'), ...filled]);
  expect(answer.unknown).toEqual(['groq/llama']);
  expect(answer.omitted).toBe(4);
  expect(JSON.stringify(answer)).not.toMatch(/secret|internal/);
});
