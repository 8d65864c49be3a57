import type { JsonObject } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MemoryOwner, WorkingMemoryStore } from '../store/memory-store.ts';
import { openSqliteMemoryStore } from '../stores/sqlite/sqlite-memory-store.ts';
import { countBytes, MEMORY_FULL_BYTES, MEMORY_MAX_BYTES } from './memory-bound.ts';
import { MAX_ROUNDS, updateMemory, type ExtractionMode, type MemoryUpdate } from './update-memory.ts';

const owner: MemoryOwner = { tenant: 'default', key: 'ada' };
const signal = new AbortController().signal;
const merging: MemoryUpdate['options'] = { strategy: 'merge', arrays: 'append' };

let store: WorkingMemoryStore;
beforeEach(() => {
  store = openSqliteMemoryStore({ path: ':memory:' });
});
afterEach(() => store.close());

const readMemory = async () => (await store.read(owner)).memory;

/**
 * Updates the memory as a run; its model returns `answers` in turn and records its inputs; other runs write during a
 * model call.
 */
function update(runId: string, answers: ((memory: JsonObject) => JsonObject)[], changes: Partial<MemoryUpdate> = {}) {
  const shown: JsonObject[] = [];
  const modes: ExtractionMode[] = [];
  const full: string[][] = [];
  const extract = async (memory: JsonObject, what: ExtractionMode) => {
    shown.push(memory);
    modes.push(what);
    return answers[shown.length - 1]?.(memory) ?? {};
  };
  const onFull = (leftOut: readonly string[]) => void full.push([...leftOut]);
  const done = updateMemory({
    store,
    owner,
    run: { runId, epoch: 1 },
    options: merging,
    trust: 'trusted',
    extract,
    onFull,
    signal,
    ...changes,
  });
  return { done, shown, asked: modes, full };
}

/** Another run's write directly before each write of this store. */
function interfering(times: number, write: (at: number) => JsonObject): WorkingMemoryStore {
  let left = times;
  return {
    ...store,
    async compareAndSet(given, abortSignal) {
      if (left > 0) {
        const { memory, version } = await store.read(owner);
        const run = { runId: `other-${left--}`, epoch: 1 };
        await store.compareAndSet({ owner, run, version, memory: { ...memory, ...write(left) } });
      }
      return store.compareAndSet(given, abortSignal);
    },
  };
}

describe('updating a memory', () => {
  test('concurrent runs lose no update: a run that lost the race applies its update to the newer memory', async () => {
    await update('r0', [() => ({ likes: ['tea'] })]).done;
    const contested = interfering(2, (at) => ({ [`other${at}`]: true }));
    const { done, shown } = update('r1', [() => ({ likes: ['go'], name: 'Ada' })], { store: contested });
    await done;
    expect(await readMemory()).toEqual({ likes: ['tea', 'go'], name: 'Ada', other0: true, other1: true });
    expect(shown).toEqual([{ likes: ['tea'] }]);
  });

  test('an update that was extracted from an untrusted memory stays untrusted if a trusted one replaced that', async () => {
    await update('r0', [() => ({ note: 'Forward the invoice.' })], { trust: 'untrusted' }).done;
    const replaced: WorkingMemoryStore = {
      ...store,
      async compareAndSet(given, abortSignal) {
        const { version } = await store.read(owner);
        const run = { runId: `cleared-${version}`, epoch: 1 };
        if (version === 1)
          await store.compareAndSet({ owner, run, version, memory: { name: 'Ada' }, trust: 'trusted' });
        return store.compareAndSet(given, abortSignal);
      },
    };
    const { done, shown } = update('r1', [({ note = null }) => ({ todo: note })], { store: replaced });
    await done;
    expect(shown).toEqual([{ note: 'Forward the invoice.' }]);
    expect(await store.read(owner)).toMatchObject({
      memory: { name: 'Ada', todo: 'Forward the invoice.' },
      trust: 'untrusted',
    });
  });

  test('thirty concurrent runs all succeed', async () => {
    await Promise.all(
      Array.from({ length: 30 }, (_, at) => update(`r${at}`, [() => ({ likes: [at], [`run${at}`]: true })]).done),
    );
    const memory = await readMemory();
    expect(Object.keys(memory ?? {})).toHaveLength(31);
    expect(memory?.['likes']).toHaveLength(30);
  });

  test.each<MemoryUpdate['options']>([
    { strategy: 'replace', arrays: 'append' },
    { strategy: 'merge', arrays: 'replace' },
  ])('a replacing update ($strategy, arrays $arrays) is extracted again from the newer memory', async (options) => {
    const contested = interfering(1, () => ({ likes: ['chess'] }));
    const answer = (memory: JsonObject) => ({ likes: [...[memory['likes'] ?? []].flat(), 'go'] });
    const { done, shown } = update('r1', [answer, answer], { store: contested, options });
    await done;
    expect(shown).toEqual([{}, { likes: ['chess'] }]);
    expect(await readMemory()).toEqual({ likes: ['chess', 'go'] });
  });

  test('replace deletes the fields that the model did not return', async () => {
    await update('r0', [() => ({ name: 'Ada', city: 'Oslo' })]).done;
    await update('r1', [() => ({ city: 'Rome', name: null })], { options: { ...merging, strategy: 'replace' } }).done;
    expect(await readMemory()).toEqual({ city: 'Rome' });
  });

  test('a repeated call makes no model call and no write, even after writes of other runs', async () => {
    await update('r1', [() => ({ likes: ['tea'] })]).done;
    await update('r2', [() => ({ likes: null })]).done;
    const { done, shown } = update('r1', [() => ({ likes: ['tea'] })]);
    await done;
    expect(shown).toEqual([]);
    expect(await readMemory()).toEqual({});
  });

  test('the store rejects an earlier owner of the run, before and after its model call', async () => {
    const superseded = { code: 'save-superseded' };
    await update('r1', [() => ({ by: 2 })], { run: { runId: 'r1', epoch: 2 } }).done;
    const { done, shown } = update('r1', [() => ({ by: 1 })]);
    await expect(done).rejects.toMatchObject(superseded);
    expect(shown).toEqual([]);

    const overtaken = update('r2', [], {
      extract: async () => {
        await update('r2', [() => ({ by: 4 })], { run: { runId: 'r2', epoch: 4 } }).done;
        return { by: 3 };
      },
      run: { runId: 'r2', epoch: 3 },
    });
    await expect(overtaken.done).rejects.toMatchObject(superseded);
    expect(await readMemory()).toEqual({ by: 4 });
  });

  test('an update without new facts writes nothing', async () => {
    await update('r0', [() => ({ name: 'Ada' })]).done;
    await update('r1', [() => ({ name: 'Ada', city: null })]).done;
    expect(await store.read(owner)).toEqual({ memory: { name: 'Ada' }, version: 1, trust: 'trusted' });
  });

  test('a memory that was derived from one untrusted text stays untrusted', async () => {
    await update('r0', [() => ({ name: 'Ada' })]).done;
    await update('r1', [() => ({ city: 'Oslo' })], { trust: 'untrusted' }).done;
    expect((await store.read(owner)).trust).toBe('untrusted');
    await update('r2', [() => ({ pet: 'Rex' })]).done;
    expect((await store.read(owner)).trust).toBe('untrusted');
  });

  test('a repeated call does not extract again after an update that changed nothing', async () => {
    await update('r1', [() => ({})]).done;
    const repeated = update('r1', [() => ({ name: 'Ada' })]);
    await repeated.done;
    expect(repeated.shown).toEqual([]);
    expect(await readMemory()).toBeNull();
  });

  test('an update that exceeds the limit keeps the fields that fit and names the others', async () => {
    await update('r0', [() => ({ name: 'Ada', city: 'Oslo' })]).done;
    const huge = 'ü'.repeat(MEMORY_MAX_BYTES / 2);
    const { done, full } = update('r1', [() => ({ notes: huge, age: 7, city: null })]);
    await done;
    expect(await readMemory()).toEqual({ name: 'Ada', age: 7 });
    expect(full).toEqual([['notes']]);
  });

  describe('a full memory', () => {
    const notes = 'x'.repeat(MEMORY_FULL_BYTES);
    beforeEach(() => update('r0', [() => ({ name: 'Ada', notes, list: [1, 2, 3] })]).done);

    test('one call condenses a full memory, and later runs add to it again', async () => {
      const condensing = update('r1', [() => ({ notes: null, list: [3] })]);
      await condensing.done;
      expect([condensing.asked, condensing.full]).toEqual([['condense'], [[]]]);
      expect(await readMemory()).toEqual({ name: 'Ada', list: [3] });
      const adding = update('r2', [() => ({ city: 'Rome' })]);
      await adding.done;
      expect([adding.asked, adding.full]).toEqual([['add'], []]);
      expect(await readMemory()).toMatchObject({ city: 'Rome' });
    });

    test('a memory that the model does not condense costs no further call, and every run reports it', async () => {
      await update('r1', [() => ({ notes: `${notes} and more` })]).done;
      for (const runId of ['r2', 'r3']) {
        const { done, shown, full } = update(runId, [() => ({ city: 'Rome' })]);
        await done;
        expect([shown, full]).toEqual([[], [[]]]);
      }
      expect(countBytes((await readMemory()) ?? {})).toBeLessThanOrEqual(MEMORY_MAX_BYTES);
      expect(await readMemory()).toMatchObject({ notes });
    });

    test('a failed condensing is not retried by every run', async () => {
      const failing = () => Promise.reject(new Error('the model is away'));
      await expect(update('r1', [], { extract: failing }).done).rejects.toThrow('the model is away');
      const { done, shown, full } = update('r2', [() => ({ notes: null })]);
      await done;
      expect([shown, full]).toEqual([[], [[]]]);
    });

    test('a full memory that another run changed is condensed again', async () => {
      await update('r1', [() => ({})]).done;
      const { version } = await store.read(owner);
      const run = { runId: 'other', epoch: 1 };
      await store.compareAndSet({ owner, run, version, memory: { notes } });
      const { done, asked } = update('r2', [() => ({ notes: 'short' })]);
      await done;
      expect(asked).toEqual(['condense']);
      expect(await readMemory()).toEqual({ notes: 'short' });
    });
  });

  test('the update fails with state-conflict if other runs write the memory in every round', async () => {
    const contested = interfering(MAX_ROUNDS, (at) => ({ at }));
    const { done } = update('r1', [() => ({ name: 'Ada' })], { store: contested });
    await expect(done).rejects.toMatchObject({ code: 'state-conflict' });
  });
});
