// Conformance of vector stores: the messages around a message.
import { expect, test } from 'vitest';
import { ada, block, type VectorStoreRig } from './vector-store-rig.ts';

export function describeSurroundings(rig: VectorStoreRig): void {
  const { save, findSurrounding } = rig;

  test('surrounding messages are those before and after, across the bounds of runs, in their thread only', async () => {
    await save('r1', { a: [1, 0, 0], b: [0, 1, 0] });
    await save('x', { elsewhere: [0, 1, 0] }, { threadId: 't2' });
    await save('r2', { c: [0, 0, 1], d: [0, 1, 1] });
    expect(await findSurrounding('b')).toEqual(['a', 'c']);
    expect(await findSurrounding('a')).toEqual(['b']);
    expect(await findSurrounding('d')).toEqual(['c']);
    expect(await findSurrounding('c', { before: 2, after: 0 })).toEqual(['a', 'b']);
    expect(await findSurrounding('c', { before: 0, after: 5 })).toEqual(['d']);
    expect(await findSurrounding('c', { before: 0, after: 0 })).toEqual([]);
    expect(await findSurrounding('b', { exceptRunId: 'r2' })).toEqual(['a']);
    expect(await findSurrounding('elsewhere')).toEqual([]);
  });

  test('concurrent runs of one thread get distinct positions: their blocks are not mixed', async () => {
    const runs = Array.from({ length: 12 }, (_, at) => `run${at}`);
    const { store, space } = rig;
    await Promise.all(
      runs.map((run) => store.saveRun(space, block(run, { [`${run} user`]: [1, 0, 0], [`${run} answer`]: [0, 1, 0] }))),
    );
    const saved = (await rig.findNearest({ topK: 100 })).toSorted((a, b) => a.order - b.order);
    expect(saved).toHaveLength(24);
    expect(new Set(saved.map(({ order }) => order)).size).toBe(24);
    const inOrder = saved.map(({ text }) => text);
    const users = inOrder.filter((_, at) => at % 2 === 0);
    expect(inOrder).toEqual(users.flatMap((text) => [text, text.replace('user', 'answer')]));
  });

  test('surrounding messages never include those of another tenant or owner', async () => {
    await save('r1', { a: [1, 0, 0], b: [0, 1, 0] });
    expect(await findSurrounding('b')).toEqual(['a']);
    expect(await findSurrounding('b', { owner: { tenant: 'other', key: 'ada' } })).toEqual([]);
    expect(await findSurrounding('b', { owner: { ...ada, key: 'eve' } })).toEqual([]);
  });

  test('a run that saves again keeps its position between the other runs', async () => {
    await save('r1', { a: [1, 0, 0] });
    await save('r2', { b: [0, 1, 0] });
    await save('r1', { 'a again': [1, 0, 0] }, { epoch: 2 });
    expect(await findSurrounding('b')).toEqual(['a again']);
    expect(await findSurrounding('b', { before: 0 })).toEqual([]);
  });
}
