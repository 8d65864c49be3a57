// The default order and the roles of the shipped processors, from their descriptors.
import { SHIPPED_MEMORY, type ListName } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { findProcessors } from '../processor-pages/find-processors.ts';

const descriptors = (await findProcessors()).map(({ descriptor }) => descriptor);

function advertisedOrder(list: Exclude<ListName, 'error'>): string[] {
  const placed = descriptors.flatMap(({ id, positions }) => {
    const position = positions?.[list];
    return position === undefined ? [] : [{ id, position }];
  });
  expect(new Set(placed.map(({ position }) => position)).size).toBe(placed.length);
  return placed.toSorted((one, other) => one.position - other.position).map(({ id }) => id);
}

const MEMORY = ['message-history', 'semantic-recall', 'working-memory'];

test('Shipped input processors clean before they judge, and judge before memory', () => {
  expect(advertisedOrder('input')).toEqual([
    'environment-context',
    'argument-processor',
    'memory-import',
    'unicode-normalizer',
    'content-length',
    'keyword',
    'prompt-injection',
    'moderation',
    'judge',
    'http-guard',
    'language',
    'pii',
    'tool-injection',
    'tool-allow-list',
    'tool-parameters',
    'tool-validation',
    ...MEMORY,
    'tool-call-filter',
    'context-compaction',
    'token-limiter',
    'approval-gate',
    'run-logger',
  ]);
});

test('Shipped output processors redact before memory stores', () => {
  expect(advertisedOrder('output')).toEqual([
    'max-tool-calls',
    'loop-detection',
    'response-validator',
    'content-length',
    'keyword',
    'moderation',
    'judge',
    'http-guard',
    'pii',
    'token-limiter',
    'batch-parts',
    ...MEMORY,
    'run-logger',
  ]);
});

test('A processor advertises positions only in the lists of its stages', () => {
  for (const { id, lists, positions = {} } of descriptors)
    expect({ id, lists }).toEqual({ id, lists: expect.arrayContaining(Object.keys(positions)) });
});

test('Shipped guards of text advertise that they judge text', () => {
  const judges = descriptors.filter(({ judgesText }) => judgesText).map(({ id }) => id);
  expect(judges).toEqual(
    expect.arrayContaining([
      'content-length',
      'http-guard',
      'judge',
      'keyword',
      'language',
      'moderation',
      'pii',
      'prompt-injection',
      'regex-filter',
      'secrets',
      'unicode-normalizer',
    ]),
  );
});

test('Shipped memory processors advertise the member of `memory` that they implement', () => {
  const keys = descriptors.flatMap(({ id, memoryKey }) => (memoryKey ? [[memoryKey, id]] : []));
  expect(Object.fromEntries(keys)).toEqual(SHIPPED_MEMORY);
});
