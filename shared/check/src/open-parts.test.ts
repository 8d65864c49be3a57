import type { Chunk } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { createPartOrder } from './open-parts.ts';

const chunk = (type: string, id = 'p') =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- one of the "other" types of the chunk schema
  ({ type, runId: 'r', from: 'AGENT', payload: { id, text: 'x' } }) as unknown as Chunk;

test('createPartOrder reports output of a part after its end, and no other output', () => {
  const problem = createPartOrder();
  for (const type of ['text-delta', 'reasoning-delta', 'text-end']) expect(problem(chunk(type))).toBeUndefined();
  expect(problem(chunk('text-delta'))).toContain('after the end of its part "p"');
  expect(problem(chunk('text-delta', 'q'))).toBeUndefined();
  expect(problem(chunk('reasoning-delta'))).toBeUndefined();
});

test('Chunks of unknown types may be repeated', () => {
  const problem = createPartOrder();
  const types = ['of-tomorrow', 'of-tomorrow', 'toString', 'toString', 'constructor', 'constructor'];
  expect(types.map((type) => problem(chunk(type)))).toEqual(types.map(() => undefined));
});
