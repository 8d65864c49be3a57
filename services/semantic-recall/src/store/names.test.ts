import { expect, test } from 'vitest';
import { buildCollectionName } from './point-id.ts';
import { computePointId } from './point-id.ts';

test('a point id is a UUID of version 5, equal for the same message of a thread and different for any other', () => {
  const place = { tenant: 'default', key: 'ada', threadId: 't1' };
  const message = { messageId: 'm1', text: 'hello' };
  const id = computePointId(place, message);
  expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  // Points with these ids are already stored: the ids must never change.
  expect(id).toBe('92c5f429-2c7a-5d1b-813e-2fd67aa50af0');
  const others = [
    computePointId({ ...place, tenant: 'other' }, message),
    computePointId({ ...place, key: 'eve' }, message),
    computePointId({ ...place, key: ' thread:t1' }, message),
    computePointId({ ...place, threadId: 't2' }, message),
    computePointId(place, { ...message, messageId: 'm2' }),
    computePointId(place, { ...message, text: 'hello!' }),
    computePointId({ ...place, threadId: 't1","m1' }, { messageId: '', text: 'hello' }),
  ];
  expect(new Set([id, ...others]).size).toBe(8);
});

test('a collection is named by embedder and vector length, and two embedders with similar names get different collections', () => {
  const name = buildCollectionName({ embedder: 'openai/text-embedding-3-small@api.openai.com', dimensions: 1536 });
  expect(name).toMatch(/^millrace-openai_text-embedding-3-small_api\.openai\.com-1536-[0-9a-f]{8}$/);
  const alike = ['a/b', 'a_b', 'a@b'].map((embedder) => buildCollectionName({ embedder, dimensions: 3 }));
  expect(new Set(alike).size).toBe(3);
  expect(buildCollectionName({ embedder: 'x'.repeat(500), dimensions: 3 }).length).toBeLessThan(200);
});
