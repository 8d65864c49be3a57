import { expect, test } from 'vitest';
import { chooseMemoryOwner, findResource } from './memory-owner.ts';

const NAMES = ['', 'ada', ' ', ' ada', ' thread:t1', ' resource: thread:t1', 'thread:t1', ' resource:ada', 't1', '*'];

test('a resource owns its memory under its own name', () => {
  expect(chooseMemoryOwner({ threadId: 't1', resourceId: 'ada' })).toBe('ada');
});

test('a thread without a resource owns its memory, under a key that no name of a resource equals', () => {
  const threads = NAMES.map((threadId) => chooseMemoryOwner({ threadId }));
  const resources = NAMES.map((resourceId) => chooseMemoryOwner({ threadId: 't1', resourceId }));
  expect(new Set([...threads, ...resources]).size).toBe(2 * NAMES.length);
});

test('findResource returns the resource of a key, and undefined if a thread owns itself', () => {
  for (const name of NAMES) {
    expect(findResource(chooseMemoryOwner({ threadId: 't1', resourceId: name }))).toBe(name);
    expect(findResource(chooseMemoryOwner({ threadId: name }))).toBeUndefined();
  }
});
