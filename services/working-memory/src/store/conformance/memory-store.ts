// Conformance suite of working-memory stores. The test of each implementation calls it once.
import type { JsonObject } from '@millrace/contracts';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { MemoryOwner, WorkingMemoryStore } from '../memory-store.ts';

const ada: MemoryOwner = { tenant: 'default', key: 'ada' };
const run = (runId: string, epoch = 1) => ({ runId, epoch });

/**
 * @param open returns a store on the same data for each call within one test, and on no data at the start of the next
 * one
 */
export function describeMemoryStore(name: string, open: () => Promise<WorkingMemoryStore>): void {
  describe(`${name}: working-memory store`, () => {
    let store: WorkingMemoryStore;
    const opened: WorkingMemoryStore[] = [];
    const openOne = async () => {
      const one = await open();
      opened.push(one);
      return one;
    };
    beforeEach(async () => {
      store = await openOne();
    });
    afterEach(async () => {
      await Promise.all(opened.splice(0).map((one) => one.close()));
    });

    test('the trust of a memory is that of its last write', async () => {
      await store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory: { a: 1 }, trust: 'trusted' });
      expect(await store.read(ada)).toEqual({ memory: { a: 1 }, version: 1, trust: 'trusted' });
      const conflict = await store.compareAndSet({ owner: ada, run: run('r2'), version: 0, memory: { b: 1 } });
      expect(conflict).toEqual({ outcome: 'conflict', memory: { a: 1 }, version: 1, trust: 'trusted' });
      // As an earlier version of the service writes it: without trust.
      await store.compareAndSet({ owner: ada, run: run('r2'), version: 1, memory: { b: 1 } });
      expect(await store.readForRun(ada, 'r2')).toEqual({
        memory: { b: 1 },
        version: 2,
        trust: 'untrusted',
        writtenEpoch: 1,
      });
      await store.compareAndSet({ owner: ada, run: run('r3'), version: 2, memory: { c: 1 }, trust: 'trusted' });
      expect((await store.read(ada)).trust).toBe('trusted');
    });

    test('a memory that was never written is null at version 0', async () => {
      expect(await store.read(ada)).toEqual({ memory: null, version: 0, trust: 'trusted' });
      expect(await store.readForRun(ada, 'r1')).toEqual({
        memory: null,
        version: 0,
        trust: 'trusted',
        writtenEpoch: 0,
      });
    });

    test('a read returns the last write, and each write increments the version', async () => {
      await store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory: { name: 'Ada' } });
      expect(await store.read(ada)).toEqual({ memory: { name: 'Ada' }, version: 1, trust: 'untrusted' });
      await store.compareAndSet({ owner: ada, run: run('r2'), version: 1, memory: { name: 'Ada L.' } });
      expect(await store.read(ada)).toEqual({ memory: { name: 'Ada L.' }, version: 2, trust: 'untrusted' });
    });

    test('a memory that became empty is empty, not null', async () => {
      await store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory: {} });
      expect(await store.read(ada)).toEqual({ memory: {}, version: 1, trust: 'untrusted' });
    });

    test('the store returns any JSON unchanged', async () => {
      const memory: JsonObject = JSON.parse(
        '{"__proto__":{"x":1},"constructor":"c","deep":[[{"a":null}]],"text":"line\\nline \\u0000 😀","n":-1.5e300,"no":false}',
      );
      await store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory });
      expect(JSON.stringify((await store.read(ada)).memory)).toBe(JSON.stringify(memory));
    });

    test('a write on an outdated version is rejected with the current memory', async () => {
      await store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory: { a: 1 } });
      const late = await store.compareAndSet({ owner: ada, run: run('r2'), version: 0, memory: { b: 1 } });
      expect(late).toEqual({ outcome: 'conflict', memory: { a: 1 }, version: 1, trust: 'untrusted' });
      const early = await store.compareAndSet({ owner: ada, run: run('r2'), version: 7, memory: { b: 1 } });
      expect(early).toEqual({ outcome: 'conflict', memory: { a: 1 }, version: 1, trust: 'untrusted' });
      expect(await store.read(ada)).toEqual({ memory: { a: 1 }, version: 1, trust: 'untrusted' });
    });

    test('one owner of a run writes once, even after writes of other runs', async () => {
      const write = { owner: ada, run: run('r1'), version: 0, memory: { list: [1] } };
      expect(await store.compareAndSet(write)).toEqual({ outcome: 'written' });
      expect(await store.compareAndSet(write)).toEqual({ outcome: 'repeated' });
      await store.compareAndSet({ owner: ada, run: run('r2'), version: 1, memory: { list: [2] } });
      expect(await store.compareAndSet({ ...write, version: 2, trust: 'untrusted' })).toEqual({ outcome: 'repeated' });
      expect(await store.read(ada)).toEqual({ memory: { list: [2] }, version: 2, trust: 'untrusted' });
      expect(await store.readForRun(ada, 'r1')).toMatchObject({ writtenEpoch: 1 });
    });

    test('a later owner of the run can write, and the store rejects an earlier one', async () => {
      await store.compareAndSet({ owner: ada, run: run('r1', 2), version: 0, memory: { by: 2 } });
      const early = await store.compareAndSet({ owner: ada, run: run('r1', 1), version: 1, memory: { by: 1 } });
      expect(early).toEqual({ outcome: 'superseded', epoch: 2 });
      const later = await store.compareAndSet({ owner: ada, run: run('r1', 10), version: 1, memory: { by: 10 } });
      expect(later).toEqual({ outcome: 'written' });
      expect(await store.readForRun(ada, 'r1')).toEqual({
        memory: { by: 10 },
        version: 2,
        trust: 'untrusted',
        writtenEpoch: 10,
      });
    });

    test('a marked run has written nothing and cannot write again, and a lower epoch removes no mark', async () => {
      await store.markRun(ada, run('r1', 2));
      expect(await store.readForRun(ada, 'r1')).toEqual({
        memory: null,
        version: 0,
        trust: 'trusted',
        writtenEpoch: 2,
      });
      await store.markRun(ada, run('r1', 1));
      expect(await store.readForRun(ada, 'r1')).toMatchObject({ writtenEpoch: 2 });
      const write = { owner: ada, run: run('r1', 2), version: 0, memory: { a: 1 } };
      expect(await store.compareAndSet(write)).toEqual({ outcome: 'repeated' });
      expect(await store.readForRun({ ...ada, threadId: 't' }, 'r1')).toMatchObject({ writtenEpoch: 0 });
    });

    test('a rejected write leaves no mark of its run', async () => {
      await store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory: { a: 1 } });
      await store.compareAndSet({ owner: ada, run: run('r2'), version: 0, memory: { b: 1 } });
      expect(await store.readForRun(ada, 'r2')).toMatchObject({ writtenEpoch: 0 });
    });

    test('a memory that is written as null is empty, and its version increases', async () => {
      await store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory: { a: 1 } });
      await store.compareAndSet({ owner: ada, run: run('r2'), version: 1, memory: null, trust: 'trusted' });
      expect(await store.read(ada)).toEqual({ memory: null, version: 2, trust: 'trusted' });
      const late = await store.compareAndSet({ owner: ada, run: run('r3'), version: 1, memory: { late: 1 } });
      expect(late).toMatchObject({ outcome: 'conflict', memory: null, version: 2 });
    });

    test('a forgotten memory is deleted with its version, and that of other owners and threads remains', async () => {
      const thread = { ...ada, threadId: 't1' };
      for (const owner of [ada, thread])
        await store.compareAndSet({ owner, run: run('r1'), version: 0, memory: { a: 1 }, trust: 'trusted' });
      expect(await store.forget(ada)).toBe(true);
      expect(await store.forget(ada)).toBe(false);
      expect(await store.read(ada)).toEqual({ memory: null, version: 0, trust: 'trusted' });
      expect((await store.read(thread)).memory).toEqual({ a: 1 });
      // The mark of the run remains: a repeated call of the run writes nothing.
      const repeated = await store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory: { a: 2 } });
      expect(repeated).toEqual({ outcome: 'repeated' });
      await store.compareAndSet({ owner: ada, run: run('r2'), version: 0, memory: { b: 1 } });
      expect(await store.read(ada)).toEqual({ memory: { b: 1 }, version: 1, trust: 'untrusted' });
      await expect(store.forget({ ...ada, tenant: 'a b' })).rejects.toMatchObject({ code: 'token-invalid' });
    });

    test('an erased owner has no memory, and memories of others remain', async () => {
      const others = [
        { ...ada, key: 'ada2' },
        { ...ada, key: 'a*' },
        { ...ada, tenant: 'other' },
      ];
      const own = [ada, { ...ada, threadId: 't1' }, { ...ada, threadId: 't:run:r1' }];
      for (const owner of [...own, ...others])
        await store.compareAndSet({ owner, run: run('r1'), version: 0, memory: { a: 1 } });
      const runs = [{ runId: 'r2', threadId: 't1' }, { runId: 'r3' }];
      expect(await store.eraseOwner(ada, runs)).toEqual({ deleted: 3, left: 0 });
      for (const owner of own) expect((await store.read(owner)).memory).toBeNull();
      for (const owner of others) expect((await store.read(owner)).memory).toEqual({ a: 1 });
      // The erased runs write nothing in any epoch, and a later run does.
      for (const [owner, runId] of [
        [ada, 'r2'] as const,
        [{ ...ada, threadId: 't1' }, 'r2'] as const,
        [ada, 'r3'] as const,
      ]) {
        const late = await store.compareAndSet({ owner, run: run(runId, 9), version: 0, memory: { late: 1 } });
        expect(late).toMatchObject({ outcome: 'superseded' });
      }
      const later = await store.compareAndSet({ owner: ada, run: run('r4'), version: 0, memory: { b: 1 } });
      expect(later).toEqual({ outcome: 'written' });
      await expect(store.eraseOwner({ ...ada, tenant: 'a b' }, [])).rejects.toMatchObject({ code: 'token-invalid' });
    });

    test('concurrent writers over several connections lose no write', async () => {
      const stores = [store, await openOne(), await openOne()];
      const writers = Array.from({ length: 30 }, async (_, at) => {
        const own = stores[at % stores.length] ?? store;
        let { memory, version } = await own.read(ada);
        for (;;) {
          const next = { ...memory, [`run-${at}`]: at };
          const result = await own.compareAndSet({ owner: ada, run: run(`run-${at}`), version, memory: next });
          if (result.outcome !== 'conflict') return;
          ({ memory, version } = result);
        }
      });
      await Promise.all(writers);
      const { memory, version } = await store.read(ada);
      expect(version).toBe(30);
      expect(Object.keys(memory ?? {})).toHaveLength(30);
    });

    test('the store isolates owners with any characters in their ids', async () => {
      const owners: MemoryOwner[] = [
        ada,
        { tenant: 'other', key: 'ada' },
        { tenant: 'default', key: 'ada', threadId: 't' },
        { tenant: 'default', key: 'ada', threadId: '' },
        { tenant: 'default', key: 'ada:thread:t' },
        { tenant: 'default', key: 'ada}:thread:t' },
        { tenant: 'default', key: 'ada', threadId: 't:run:r1' },
        { tenant: 'default', key: 'ada:run:r1' },
        { tenant: 'default', key: '{ada}' },
        { tenant: 'default', key: 'ADA' },
        { tenant: 'default', key: '%61da' },
        { tenant: 'default', key: "ada'; DROP TABLE working_memory; --" },
        { tenant: 'default', key: '*' },
      ];
      for (const [at, owner] of owners.entries()) {
        const { outcome } = await store.compareAndSet({ owner, run: run('r1'), version: 0, memory: { at } });
        expect({ owner, outcome }).toEqual({ owner, outcome: 'written' });
      }
      for (const [at, owner] of owners.entries()) {
        expect({ owner, ...(await store.read(owner)) }).toEqual({
          owner,
          memory: { at },
          version: 1,
          trust: 'untrusted',
        });
      }
    });

    test.each(['', 'a b', 'default:working-memory', '*', 'a'.repeat(65)])(
      'the store rejects the tenant "%s"',
      async (tenant) => {
        const refused = { code: 'token-invalid' };
        const owner = { tenant, key: 'ada' };
        await expect(store.read(owner)).rejects.toMatchObject(refused);
        const write = store.compareAndSet({ owner, run: run('r1'), version: 0, memory: {} });
        await expect(write).rejects.toMatchObject(refused);
      },
    );

    test('the store gives an aborted caller no answer and writes nothing', async () => {
      const signal = AbortSignal.abort(new Error('enough'));
      await expect(store.read(ada, signal)).rejects.toThrow('enough');
      const write = store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory: { a: 1 } }, signal);
      await expect(write).rejects.toThrow('enough');
      expect(await store.read(ada)).toEqual({ memory: null, version: 0, trust: 'trusted' });
    });

    test('a write is visible to other connections and outlives its own', async () => {
      await store.compareAndSet({ owner: ada, run: run('r1'), version: 0, memory: { a: 1 } });
      const other = await openOne();
      await store.close();
      expect(await other.readForRun(ada, 'r1')).toEqual({
        memory: { a: 1 },
        version: 1,
        trust: 'untrusted',
        writtenEpoch: 1,
      });
    });

    test('a closed store fails as unavailable, and closing it again has no effect', async () => {
      await store.close();
      await store.close();
      await expect(store.read(ada)).rejects.toMatchObject({ code: 'store-unavailable' });
    });
  });
}
