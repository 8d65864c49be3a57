import { expect, test } from 'vitest';
import { createCheckPlaces } from './check-limits.ts';

const limits = { maxChecks: 3, maxChecksPerTenant: 2 };
const refused = expect.objectContaining({ code: 'too-many-requests', retryAfterMs: 500 });

test('A tenant has its own places, and all tenants share the places of the orchestrator', () => {
  const places = createCheckPlaces(limits);
  places.take('one');
  const free = places.take('one');
  expect(() => places.take('one')).toThrow(refused);
  places.take('two');
  expect(() => places.take('three')).toThrow(refused);
  free();
  expect(() => places.take('three')).not.toThrow();
});

test('A place that is freed twice is free once', () => {
  const places = createCheckPlaces(limits);
  const free = places.take('one');
  places.take('one');
  free();
  free();
  places.take('one');
  expect(() => places.take('one')).toThrow(refused);
});
