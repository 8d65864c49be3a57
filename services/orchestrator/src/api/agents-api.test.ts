import { createModels } from '@millrace/models';
import { AGENT_LIMITS, MillraceError, type AppliedAgent, type JsonObject } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import type { AgentStore } from '../agents/agent-store.ts';
import { findPlanWarnings } from '../agents/plan-warnings.ts';
import { resolveAgent } from '../agents/resolve-agent.ts';
import type { Discovery } from '../peers/discovery.ts';
import { createSchemaChecker } from '../peers/schema-checker.ts';
import { known } from '../testing/known-processors.ts';
import { createAgentsApi } from './agents-api.ts';

const tenant = { tenant: 'acme' };
const schemas = createSchemaChecker();
const definition = (more: JsonObject = {}) => ({ name: 'demo', model: 'openai/gpt-5-mini', input: ['pii'], ...more });

function createApi(isSlow = false) {
  const stored = new Map<string, AppliedAgent>();
  let puts = 0;
  const store: AgentStore = {
    get: async (of, agent) => stored.get(`${of}.${agent}`),
    find: async () => undefined,
    getAtLeast: async (of, agent) => stored.get(`${of}.${agent}`),
    list: (of) => [...stored].flatMap(([key, applied]) => (key.startsWith(`${of}.`) ? [applied] : [])),
    async put(of, applied) {
      const there = { ...applied, revision: ++puts };
      stored.set(`${of}.${applied.agent.name}`, there);
      return there;
    },
    async delete(of, agent) {
      const there = stored.get(`${of}.${agent}`);
      stored.delete(`${of}.${agent}`);
      return there;
    },
    reload: async () => undefined,
    stop: () => undefined,
  };
  let refreshed = 0;
  let looked = isSlow ? 'in vain' : 'at all';
  const discovery: Pick<Discovery, 'refresh' | 'refreshLonger' | 'getProcessors' | 'getTools' | 'listRefused'> = {
    refresh: async () => void (refreshed += 1),
    refreshLonger: async () => void (looked = 'long enough'),
    getProcessors: () => (looked === 'in vain' ? new Map() : known.processors),
    getTools: () => known.tools,
    listRefused: () => known.refused,
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the members that the api uses
  const api = createAgentsApi(store, discovery as Discovery, schemas, createModels({ apiKey: 'none' }));
  const apply = (of: JsonObject, dryRun = false) => api.apply({ definition: of, dryRun }, tenant);
  return { api, apply, puts: () => puts, refreshed: () => refreshed };
}

describe('agents apply', () => {
  test('stores the agent with its plan, resolved with the running processors', async () => {
    const { apply, api, refreshed } = createApi();
    const { applied, changed } = await apply(definition());
    expect({ changed, revision: applied.revision }).toEqual({ changed: true, revision: 1 });
    expect(applied.plan.order.processInput).toEqual(['pii']);
    expect(refreshed()).toBe(1);
    expect(await api.get({ agent: 'demo' }, tenant)).toEqual(applied);
    expect(await api.list({ limit: 10 }, tenant)).toEqual({ agents: [applied] });
  });

  test('refuses a schema of structured output that does not compile', async () => {
    const { apply, puts } = createApi();
    const structuredOutput = { schema: { type: 'objet' } };
    await expect(apply(definition({ structuredOutput }))).rejects.toMatchObject({
      code: 'agent-invalid',
      issues: [{ path: 'structuredOutput.schema', message: expect.stringContaining('not valid') }],
    });
    expect(puts()).toBe(0);
  });

  test('repeats the discovery before a processor counts as missing', async () => {
    const { applied } = await createApi(true).apply(definition());
    expect(applied.plan.order.processInput).toEqual(['pii']);
  });

  test('of an equal definition changes nothing', async () => {
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
    await expect(apply(definition({ input: ['nosuch'], tools: ['hammer'] }))).rejects.toMatchObject({
      code: 'agent-invalid',
      message: expect.stringMatching(/"hammer".*"nosuch"|"nosuch".*"hammer"/s),
      issues: expect.arrayContaining([
        expect.objectContaining({ code: 'tool-unknown' }),
        expect.objectContaining({ code: 'processor-unknown' }),
      ]),
    });
    expect(puts()).toBe(0);
  });
});

describe('an agent', () => {
  const messages = (error: unknown) =>
    MillraceError.isInstance(error) ? (error.issues ?? []).map(({ message }) => message) : [];

  test('is bounded in bytes, before the discovery', async () => {
    const { apply, api, refreshed } = createApi();
    const large = definition({ instructions: 'x'.repeat(AGENT_LIMITS.maxBytes) });
    for (const refused of [apply(large), api.plan({ definition: large }, tenant)]) {
      await expect(refused).rejects.toMatchObject({ code: 'agent-invalid', message: expect.stringContaining('bytes') });
    }
    expect(refreshed()).toBe(0);
  });

  test('is bounded in entries, with one issue instead of one for each', async () => {
    const { apply } = createApi();
    const input = Array.from({ length: 10_000 }, (_, at) => `unknown-${at}`);
    const error: unknown = await apply(definition({ input })).catch((thrown: unknown) => thrown);
    expect(messages(error)).toEqual(['The input list has 10000 entries; it may have 256.']);
  });

  test('has a bounded number of reported issues', async () => {
    const { apply } = createApi();
    const unknown = Array.from({ length: 256 }, (_, at) => `unknown-${at}`);
    const error: unknown = await apply(definition({ input: unknown })).catch((thrown: unknown) => thrown);
    expect(messages(error)).toHaveLength(100);
    expect(MillraceError.isInstance(error) && error.message.length).toBeLessThan(3_000);
    expect(MillraceError.isInstance(error) && error.message).toContain('And 246 more.');
  });
});

describe('a warning of agents apply', () => {
  const listWarnings = async (of: JsonObject) =>
    (await createApi().apply(definition(of))).warnings.map(({ message }) => message);

  test('lists the stages of a processor that no list of the agent calls', async () => {
    expect(await listWarnings({ input: ['pii'] })).toEqual([
      '"pii" has processOutputStream, processOutputResult, which this agent does not call: it is listed only under input.',
    ]);
    expect(await listWarnings({ input: ['pii'], output: [{ use: 'pii', as: 'pii-out' }] })).toEqual([]);
    expect(await listWarnings({ input: ['unicode-normalizer'], memory: {} })).toEqual([]);
  });

  test('reports a judge that the caller of a run can skip', async () => {
    const when = { context: 'plan', equals: 'free' };
    const lists = {
      input: [
        { use: 'unicode-normalizer', when },
        { use: 'keyword', when, onFailure: 'skip' },
      ],
      output: [{ use: 'keyword', when }],
    };
    expect(await listWarnings(lists)).toEqual([
      '"unicode-normalizer" is called only if plan of requestContext is "free": the submitter of a run decides that.',
    ]);
    const { api, apply } = createApi();
    await apply(definition(lists));
    const asked = { warnings: [{ code: 'judge-under-when' }] };
    expect(await api.plan({ agent: 'demo' }, tenant)).toMatchObject(asked);
    expect(await api.plan({ definition: definition(lists) }, tenant)).toMatchObject(asked);
  });

  test("reports a judge that a caller's list replaces", async () => {
    const pii = { use: 'pii', replaceable: true };
    const output = [{ use: 'keyword', onFailure: 'skip', replaceable: true }, pii];
    const input = ['unicode-normalizer', ...output];
    const left = ['"pii" is dropped if a caller provides its own lists, which `overrides` of this agent allows.'];
    for (const overrides of [['keyword'], []]) expect(await listWarnings({ input, output, overrides })).toEqual(left);
    expect(await listWarnings({ input, output })).toEqual([]);
  });

  test('names the entries that overrides of the stored agent replace, and of the new one keep', async () => {
    const { api, apply } = createApi();
    await apply(definition({ input: [{ use: 'pii', replaceable: true }], output: [], overrides: [] }));
    const kept = definition({ input: ['pii'], overrides: [] });
    const warned = { warnings: expect.arrayContaining([expect.objectContaining({ code: 'entries-kept' })]) };
    expect(await api.plan({ definition: kept }, tenant)).toMatchObject(warned);
    expect(await apply(kept)).toMatchObject(warned);
    expect(await apply(kept)).not.toMatchObject(warned);
  });

  test('reports answers that are rewritten after they were released, unless they are buffered', async () => {
    const processors = new Map(known.processors);
    const pii = processors.get('pii');
    if (!pii) throw new Error('pii is known');
    const stages = ['processOutputStep' as const];
    const descriptor = { ...pii.descriptor, id: 'polite', stages, lists: ['output' as const], rewritesAnswers: true };
    processors.set('polite', { ...pii, descriptor });
    const codes = (more: object) => {
      const resolved = resolveAgent(definition({ output: ['polite'], ...more }), { ...known, processors });
      return 'plan' in resolved && findPlanWarnings(resolved.plan, [], resolved.agent).map(({ code }) => code);
    };
    expect(codes({})).toContain('answer-shown-before');
    expect(codes({ release: 'step' })).not.toContain('answer-shown-before');
  });

  test('accompanies a dry run and an unchanged agent too', async () => {
    const { apply } = createApi();
    expect((await apply(definition(), true)).warnings).toMatchObject([{ code: 'stage-not-called' }]);
    await apply(definition());
    expect(await apply(definition())).toMatchObject({ changed: false, warnings: [{ code: 'stage-not-called' }] });
  });
});

describe('agents delete', () => {
  test('removes the agent and returns its revision', async () => {
    const { api, apply } = createApi();
    await apply(definition());
    expect(await api.delete({ agent: 'demo' }, tenant)).toEqual({ agent: 'demo', revision: 1 });
    await expect(api.get({ agent: 'demo' }, tenant)).rejects.toMatchObject({ code: 'agent-unknown' });
  });

  test('of a missing agent, or of another tenant’s, is refused', async () => {
    const { api, apply } = createApi();
    await apply(definition());
    await expect(api.delete({ agent: 'demo' }, { tenant: 'other' })).rejects.toMatchObject({ code: 'agent-unknown' });
    await expect(api.delete({ agent: 'nosuch' }, tenant)).rejects.toMatchObject({ code: 'agent-unknown' });
    expect((await api.get({ agent: 'demo' }, tenant)).agent.name).toBe('demo');
  });
});

describe('agents list', () => {
  const allPages = async (api: ReturnType<typeof createApi>['api'], limit: number) => {
    const pages: string[][] = [];
    for (let after: string | undefined; ;) {
      const { agents, next } = await api.list({ limit, after }, tenant);
      pages.push(agents.map(({ agent }) => agent.name));
      if (next === undefined) return pages;
      after = next;
    }
  };

  test('returns pages sorted by name', async () => {
    const { api, apply } = createApi();
    for (const name of ['a', 'b', 'c', 'd', 'e']) await apply(definition({ name }));
    expect(await allPages(api, 2)).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
    expect(await allPages(api, 5)).toEqual([['a', 'b', 'c', 'd', 'e']]);
  });

  test('returns no page that is larger than a message', async () => {
    const { api, apply } = createApi();
    const instructions = 'x'.repeat(200 * 1024);
    const names = Array.from({ length: 50 }, (_, at) => `agent-${String(at).padStart(2, '0')}`);
    for (const name of names) await apply(definition({ name, instructions }));
    const pages = await allPages(api, 1_000);
    expect(pages.flat()).toEqual(names);
    expect(pages.length).toBeGreaterThan(2);
  });
});

describe('agents plan', () => {
  test('of a definition resolves it and stores nothing', async () => {
    const { api, puts } = createApi();
    expect((await api.plan({ definition: definition() }, tenant)).plan.order).toHaveProperty('processInput');
    expect(puts()).toBe(0);
  });

  test('of an agent is the stored one, with the warnings of its apply', async () => {
    const { api, apply } = createApi();
    const { applied, warnings } = await apply(definition());
    expect(await api.plan({ agent: 'demo' }, tenant)).toEqual({ ...applied, warnings });
  });

  test('of neither is refused', async () => {
    await expect(createApi().api.plan({}, tenant)).rejects.toMatchObject({ code: 'message-invalid' });
  });
});

describe('an unknown agent', () => {
  test('is reported with the names of existing ones', async () => {
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

  test('is unknown to every tenant except its own', async () => {
    const { api, apply } = createApi();
    await apply(definition());
    await expect(api.get({ agent: 'demo' }, { tenant: 'other' })).rejects.toMatchObject({ code: 'agent-unknown' });
    expect(await api.list({ limit: 10 }, { tenant: 'other' })).toEqual({ agents: [] });
  });
});
