import { expect, test } from 'vitest';
import { collectionName } from '../store/collection-name.ts';
import { pointId } from '../store/point-id.ts';
import { keepVector, keptVector, KEPT_MAX_CHARS } from './kept-vector.ts';

test('a point id is a UUID of version 5, the same for the same place and for no other', () => {
  const id = pointId('default', 'run-1', 0);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // Ids of points that are stored already: this one must never become another.
  expect(id).toBe('d41bbe1a-5dc0-5061-8777-fa2ae0329a8c');
  const others = [
    pointId('default', 'run-1', 1),
    pointId('default', 'run-2', 0),
    pointId('other', 'run-1', 0),
    pointId('default', 'run-11', 0),
    pointId('default', 'run-1', 10),
  ];
  expect(new Set([id, ...others]).size).toBe(6);
});

test('a collection is named by embedder and length, and two embedders that read alike stay two', () => {
  const name = collectionName({ embedder: 'openai/text-embedding-3-small@api.openai.com', dimensions: 1536 });
  expect(name).toMatch(/^millrace-openai_text-embedding-3-small_api\.openai\.com-1536-[0-9a-f]{8}$/);
  const alike = ['a/b', 'a_b', 'a@b'].map((embedder) => collectionName({ embedder, dimensions: 3 }));
  expect(new Set(alike).size).toBe(3);
  expect(collectionName({ embedder: 'x'.repeat(500), dimensions: 3 }).length).toBeLessThan(200);
});

test('the vector of a text is kept for that text only, to 32 bits, and only when it is small', () => {
  const state = {};
  keepVector(state, 'tea', [0.1, -1, 3e-9]);
  expect(keptVector(state, 'tea')).toEqual([Math.fround(0.1), -1, Math.fround(3e-9)]);
  expect(keptVector(state, 'coffee')).toBeUndefined();

  const large = {};
  keepVector(
    large,
    'tea',
    Array.from({ length: 3_072 }, () => 0.5),
  );
  expect(JSON.stringify(large).length).toBeLessThan(KEPT_MAX_CHARS + 100);
  expect(keptVector(large, 'tea')).toHaveLength(3_072);
  const tooLarge = {};
  keepVector(
    tooLarge,
    'tea',
    Array.from({ length: 3_073 }, () => 0.5),
  );
  expect(tooLarge).toEqual({});
});
