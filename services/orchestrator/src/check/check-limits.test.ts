import { expect, test } from 'vitest';
import { createCheckPlaces } from './check-limits.ts';

const limits = { maxChecks: 3, maxChecksPerTenant: 2 };
const party = (tenant: string, caller = 'ada') => ({ tenant, caller });
const refused = expect.objectContaining({ code: 'too-many-requests', retryAfterMs: 500 });

test('A tenant has its own places, and all tenants share the places of the orchestrator', () => {
  const places = createCheckPlaces(limits);
  places.take(party('one'));
  const free = places.take(party('one'));
  expect(() => places.take(party('one'))).toThrow(refused);
  places.take(party('two'));
  const last = places.take(party('three'));
  expect(() => places.take(party('four'))).toThrow(refused);
  free();
  last();
  expect(() => places.take(party('four'))).not.toThrow();
});

test('A place that is freed twice is free once', () => {
  const places = createCheckPlaces(limits);
  const free = places.take(party('one'));
  places.take(party('one'));
  free();
  free();
  places.take(party('one'));
  expect(() => places.take(party('one'))).toThrow(refused);
});

test('A caller without a check has a place on top when another caller has taken all places of the tenant', () => {
  const places = createCheckPlaces(limits);
  places.take(party('one'));
  places.take(party('one'));
  const free = places.take(party('one', 'bob'));
  expect(() => places.take(party('one', 'bob'))).toThrow(refused);
  expect(() => places.take(party('one', 'cyd'))).toThrow(refused);
  free();
  expect(() => places.take(party('one', 'cyd'))).not.toThrow();
});
