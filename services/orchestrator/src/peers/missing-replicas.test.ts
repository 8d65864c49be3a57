import type { Advertised } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { found } from '../testing/known-processors.ts';
import { createMissingReplicas } from './missing-replicas.ts';

const advertised = (replicas: Record<string, string[]>): Advertised => ({
  processors: new Map(
    Object.entries(replicas).map(([id, own]) => [
      id,
      { ...found(id, ['processInput']), service: 'guards', replicas: own },
    ]),
  ),
  tools: new Map(),
  refused: [],
});

test('a replica that is no longer advertised is missed while the server still has it', async () => {
  const left = new Set<string>();
  const missing = createMissingReplicas(async (replica) => left.has(replica));
  const both = advertised({ pii: ['a', 'b'], secrets: ['a', 'b'] });
  const one = advertised({ pii: ['b'], secrets: ['b'] });
  await missing.update(both, one);
  expect([missing.of('pii'), missing.of('secrets'), missing.of('other')]).toEqual([['a'], ['a'], []]);
  await missing.update(one, one);
  expect(missing.of('pii')).toEqual(['a']);
  left.add('guards.a');
  await missing.update(one, one);
  expect(missing.of('pii')).toEqual([]);
});

test('a replica that is advertised again is not missed any longer', async () => {
  const missing = createMissingReplicas(async () => false);
  const both = advertised({ pii: ['a', 'b'] });
  await missing.update(both, advertised({ pii: ['b'] }));
  await missing.update(advertised({ pii: ['b'] }), both);
  expect(missing.of('pii')).toEqual([]);
});
