import type { AdvertisedServices } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { makeFound } from '../testing/known-processors.ts';
import { createMissingReplicas } from './replica-health.ts';

const makeAdvertised = (replicas: Record<string, string[]>): AdvertisedServices => ({
  processors: new Map(
    Object.entries(replicas).map(([id, own]) => [
      id,
      { ...makeFound(id, ['processInput']), service: 'guards', replicas: own },
    ]),
  ),
  served: new Map(Object.entries(replicas).map(([id, own]) => [`guards ${id}`, own])),
  tools: new Map(),
  refused: [],
});

test('a replica that is no longer advertised is missed while the server still has it', async () => {
  const left = new Set<string>();
  const missing = createMissingReplicas(async (replica) => left.has(replica));
  const both = makeAdvertised({ pii: ['a', 'b'], secrets: ['a', 'b'] });
  const one = makeAdvertised({ pii: ['b'], secrets: ['b'] });
  await missing.update(both, one);
  expect([
    missing.listMissing('guards pii'),
    missing.listMissing('guards secrets'),
    missing.listMissing('guards other'),
  ]).toEqual([['a'], ['a'], []]);
  await missing.update(one, one);
  expect(missing.listMissing('guards pii')).toEqual(['a']);
  left.add('guards.a');
  await missing.update(one, one);
  expect(missing.listMissing('guards pii')).toEqual([]);
});

test('a replica that is advertised again is not missed any longer', async () => {
  const missing = createMissingReplicas(async () => false);
  const both = makeAdvertised({ pii: ['a', 'b'] });
  await missing.update(both, makeAdvertised({ pii: ['b'] }));
  await missing.update(makeAdvertised({ pii: ['b'] }), both);
  expect(missing.listMissing('guards pii')).toEqual([]);
});
