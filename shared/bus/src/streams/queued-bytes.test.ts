import { expect, test } from 'vitest';
import { createQueuedBytes } from './queued-bytes.ts';

test('bytes of a tenant’s commands are summed until the queue has fewer commands than were published', () => {
  let now = 0;
  const queued = createQueuedBytes(() => now);
  for (const bytes of [100, 20, 3]) queued.add('acme', bytes);
  queued.add('other', 5_000);
  now += 10_000;
  expect([queued.sum('acme'), queued.sum('other'), queued.sum('none')]).toEqual([123, 5_000, 0]);
  queued.read((owner) => (owner === 'acme' ? 2 : 0));
  expect([queued.sum('acme'), queued.sum('other')]).toEqual([23, 0]);
  queued.read(() => 50);
  expect([queued.sum('acme'), queued.count('acme')]).toEqual([23, 2]);
  queued.read(() => 0);
  expect(queued.sum('acme')).toBe(0);
});

test('bytes of a command count at once, also when a count that was read just then does not have it', () => {
  let now = 0;
  const queued = createQueuedBytes(() => now);
  queued.add('acme', 100);
  now += 1_000;
  queued.add('acme', 20);
  queued.read(() => 0);
  expect(queued.sum('acme')).toBe(120);
  now += 1_500;
  queued.read(() => 0);
  expect(queued.sum('acme')).toBe(20);
});
