import type { AppliedAgent, JsonObject } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import type { AgentStore } from '../agents/agent-store.ts';
import type { Discovery } from '../peers/discovery.ts';
import { known } from '../testing/known-processors.ts';
import { createAgentsApi } from './agents-api.ts';

const tenant = { tenant: 'acme' };
const definition = (more: JsonObject = {}) => ({ name: 'demo', model: 'openai/gpt-5-mini', input: ['pii'], ...more });

function createApi() {
  const stored = new Map<string, AppliedAgent>();
  let puts = 0;
  const store: AgentStore = {
    get: async (of, agent) => stored.get(`${of}.${agent}`),
    list: (of) => [...stored].flatMap(([key, applied]) => (key.startsWith(`${of}.`) ? [applied] : [])),
    async put(of, applied) {
      const there = { ...applied, revision: ++puts };
      stored.set(`${of}.${applied.agent.name}`, there);
      return there;
    },
    stop: () => undefined,
  };
  let refreshed = 0;
  const discovery: Pick<Discovery, 'refresh' | 'processors' | 'tools' | 'refused'> = {
    refresh: async () => void (refreshed += 1),
    processors: () => known.processors,
    tools: () => known.tools,
    refused: () => known.refused,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the api uses
  const api = createAgentsApi(store, discovery as Discovery);
  const apply = (of: JsonObject, dryRun = false) => api.apply({ definition: of, dryRun }, tenant);
  return { api, apply, puts: () => puts, refreshed: () => refreshed };
}

describe('apply', () => {
  test('stores the agent with its plan, by what is there now', async () => {
    const { apply, api, refreshed } = createApi();
    const { applied, changed } = await apply(definition());
    expect({ changed, revision: applied.revision }).toEqual({ changed: true, revision: 1 });
    expect(applied.plan.order.processInput).toEqual(['pii']);
    expect(refreshed()).toBe(1);
    expect(await api.get({ agent: 'demo' }, tenant)).toEqual(applied);
    expect(await api.list({}, tenant)).toEqual({ agents: [applied] });
  });

  test('of the same again changes nothing', async () => {
    const { apply, puts } = createApi();
    const first = await apply(definition());
    expect(await apply(definition())).toEqual({ ...first, changed: false });
    expect(puts()).toBe(1);
    expect((await apply(definition({ maxSteps: 2 }))).changed).toBe(true);
  });

  test('as a dry run stores nothing', async () => {
    const { apply, puts } = createApi();
    expect(await apply(definition(), true)).toMatchObject({ changed: true, applied: { revision: 0 } });
    expect(puts()).toBe(0);
  });

  test('refuses with all problems, in the message and one by one', async () => {
    const { apply, puts } = createApi();
    await expect(apply(definition({ input: ['nosuch'], release: 'step' }))).rejects.toMatchObject({
      code: 'agent-invalid',
      message: expect.stringMatching(/release.*not built yet.*input\[0\].*"nosuch"/),
      issues: [{ code: 'not-built-yet' }, { code: 'processor-unknown' }],
    });
    expect(puts()).toBe(0);
  });
});

describe('plan', () => {
  test('of a definition resolves it and stores nothing', async () => {
    const { api, puts } = createApi();
    expect((await api.plan({ definition: definition() }, tenant)).plan.order).toHaveProperty('processInput');
    expect(puts()).toBe(0);
  });

  test('of an agent is the stored one', async () => {
    const { api, apply } = createApi();
    const { applied } = await apply(definition());
    expect(await api.plan({ agent: 'demo' }, tenant)).toEqual(applied);
  });

  test('of neither is refused', async () => {
    await expect(createApi().api.plan({}, tenant)).rejects.toMatchObject({ code: 'message-invalid' });
  });
});

describe('an unknown agent', () => {
  test('is said with those that are there', async () => {
    const { api, apply } = createApi();
    await expect(api.get({ agent: 'other' }, tenant)).rejects.toMatchObject({
      code: 'agent-unknown',
      remedy: expect.stringContaining('Apply it'),
    });
    await apply(definition());
    await expect(api.get({ agent: 'other' }, tenant)).rejects.toMatchObject({
      remedy: expect.stringContaining('demo'),
    });
  });

  test('is unknown to every tenant but its own', async () => {
    const { api, apply } = createApi();
    await apply(definition());
    await expect(api.get({ agent: 'demo' }, { tenant: 'other' })).rejects.toMatchObject({ code: 'agent-unknown' });
    expect(await api.list({}, { tenant: 'other' })).toEqual({ agents: [] });
  });
});
