import { API, type ClaimEvent, type RefusedEndpoint } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { createProcessorsVerb } from './processors-api.ts';
import type { ReadLoads } from '../peers/replica-loads.ts';
import { makeFound } from '../testing/known-processors.ts';

const MEBIBYTE = 1024 * 1024;

function listWith(
  ids: readonly string[],
  { refused = [] as RefusedEndpoint[], maxBytes = MEBIBYTE, readClaims = async () => [] as ClaimEvent[] } = {},
) {
  const found = new Map(ids.map((id) => [id, makeFound(id, ['processInput', 'processOutputStream'])]));
  const known: typeof found = new Map();
  const discovery = {
    getProcessors: () => known,
    listRefused: () => refused,
    refresh: async () => found.forEach((one, id) => known.set(id, { ...one, replicas: ['r2', 'r1'] })),
  };
  const load = { replica: 'r1', calls: 1, requests: 2, errors: 0 };
  const readLoads: ReadLoads = async (all) => all.map((one) => ({ ...one, loads: [load] }));
  const list = createProcessorsVerb({ discovery, maxBytes, readClaims, readLoads });
  return async (request: object = {}) => API.processors.answer.parse(await list(API.processors.request.parse(request)));
}

describe('the verb processors', () => {
  test('lists processors by name as a new look finds them, with sorted replicas', async () => {
    const { processors, next } = await listWith(['pii', 'keyword'])();
    expect(processors).toMatchObject([
      { id: 'keyword', service: 'guards', replicas: ['r1', 'r2'], stages: ['processInput', 'processOutputStream'] },
      { id: 'pii' },
    ]);
    expect(next).toBeUndefined();
  });

  test('reads the loads of replicas only if the request asks for them', async () => {
    const list = listWith(['pii']);
    expect((await list()).processors[0]).not.toHaveProperty('loads');
    expect((await list({ loads: true })).processors[0]?.loads).toMatchObject([{ replica: 'r1', calls: 1 }]);
  });

  test('continues after the last processor of a page, without gap or overlap', async () => {
    const ids = Array.from({ length: 25 }, (_, at) => `p${String(at).padStart(2, '0')}`);
    const list = listWith(ids, { refused: [{ service: 's', name: 'n', problem: 'p' }] });
    const seen: string[] = [];
    let after: string | undefined;
    for (let page = 0; page < 3; page += 1) {
      const answer = await list({ limit: 10, after });
      expect(answer.refused).toHaveLength(page === 0 ? 1 : 0);
      seen.push(...answer.processors.map(({ id }) => id));
      after = answer.next;
    }
    expect([seen, after]).toEqual([ids, undefined]);
  });

  test('ends a page that exceeds the message size early, and returns one processor of any size', async () => {
    const some = await listWith(['a', 'b', 'c', 'd'], { maxBytes: 2_000 })();
    expect(some.processors.length).toBeGreaterThan(0);
    expect(some.processors.length).toBeLessThan(4);
    expect(some.next).toBe(some.processors.at(-1)?.id);
    const one = await listWith(['a', 'b'], { maxBytes: 10 })();
    expect([one.processors.map(({ id }) => id), one.next]).toEqual([['a'], 'a']);
  });

  test('counts rejected advertisements that the answer omits', async () => {
    const refused = Array.from({ length: 100 }, (_, at) => ({ service: 's', name: `n${at}`, problem: 'x'.repeat(90) }));
    const answer = await listWith(['a'], { refused, maxBytes: 4_000 })();
    expect(answer.refused.length).toBeGreaterThan(5);
    expect(answer.refused.length).toBeLessThan(100);
    expect(answer.refusedTotal).toBe(100);
  });

  test('lists stored claims on the first page, the newest that fit, and works while their store is unavailable', async () => {
    const claim = { event: 'claim' as const, at: '2026-01-01T00:00:00.000Z', service: 'mine', owner: 'guardrails' };
    const claims = Array.from({ length: 100 }, (_, at) => ({ ...claim, name: `n${at}` }));
    const list = listWith(['a', 'b'], { readClaims: async () => claims, maxBytes: 4_000 });
    const { claims: listed = [] } = await list();
    expect(listed.length).toBeLessThan(100);
    expect(listed).toEqual(claims.slice(-listed.length));
    expect((await list({ after: 'a' })).claims).toBeUndefined();
    const away = await listWith(['a'], { readClaims: () => Promise.reject(new Error('no leader')) })();
    expect([away.claims, away.processors.length]).toEqual([undefined, 1]);
  });
});
