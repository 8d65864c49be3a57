// Conformance: deleting the messages of a thread.
import { describe, expect, test } from 'vitest';
import { ada, type VectorStoreRig } from './vector-store-rig.ts';

const t1 = { ...ada, threadId: 't1' };

export function describeDeleting(rig: VectorStoreRig): void {
  describe('deleting', () => {
    test('the messages of a deleted thread are found in no space, and those of others remain', async () => {
      const other = rig.createSpace(2);
      await rig.save('r1', { one: [1, 0, 0], two: [0, 1, 0] });
      await rig.save('r2', { kept: [1, 0, 0] }, { threadId: 't2' });
      await rig.save('r3', { foreign: [1, 0, 0] }, { key: 'bob' });
      const message = {
        messageId: 'm',
        role: 'user' as const,
        text: 'elsewhere',
        createdAt: '',
        trust: 'trusted' as const,
      };
      await rig.store.saveRun(other, { ...t1, runId: 'r1', epoch: 1, messages: [{ ...message, vector: [1, 0] }] });
      expect(await rig.store.deleteThread(t1)).toBe(3);
      expect(await rig.listTexts()).toEqual(['kept']);
      expect(await rig.listTexts({ owner: { ...ada, key: 'bob' } })).toEqual(['foreign']);
      const query = { owner: ada, threadId: 't1', exceptRunId: '', vector: [1, 0], topK: 9, threshold: undefined };
      expect(await rig.store.findNearest(other, query)).toEqual([]);
      expect(await rig.store.deleteThread(t1)).toBe(0);
    });

    test('a thread can be indexed again after its deletion', async () => {
      await rig.save('r1', { one: [1, 0, 0] });
      await rig.store.deleteThread(t1);
      await rig.save('r1', { one: [1, 0, 0] });
      expect(await rig.listTexts()).toEqual(['one']);
    });

    test('a message is deleted by id and text, also under the id that the history gave it', async () => {
      await rig.save('r1', { 'one  two': [1, 0, 0], three: [1, 1, 0], four: [0, 1, 0] });
      await rig.save('r2', { 'one  two': [1, 0, 0] }, { threadId: 't2' });
      const messages = [
        { messageId: 'r1-0', text: 'one two' },
        { messageId: 'r1-1~hash', text: 'three' },
        { messageId: 'r1-2', text: 'another text' },
        { messageId: 'none', text: 'four' },
      ];
      expect(await rig.store.deleteMessages(t1, messages)).toBe(2);
      expect((await rig.listTexts()).toSorted()).toEqual(['four', 'one  two']);
      expect((await rig.findNearest({ threadId: 't2' })).map(({ runId }) => runId)).toEqual(['r2']);
      expect(await rig.store.deleteMessages(t1, messages)).toBe(0);
    });

    test('an erased owner has no messages in any space or thread, and those of others remain', async () => {
      await rig.save('r1', { one: [1, 0, 0], two: [0, 1, 0] });
      await rig.save('r2', { three: [1, 0, 0] }, { threadId: 't2' });
      await rig.save('r3', { foreign: [1, 0, 0] }, { key: 'bob' });
      expect(await rig.store.eraseOwner(ada, [])).toEqual({ deleted: 3, left: 0 });
      expect(await rig.listTexts()).toEqual([]);
      expect(await rig.listTexts({ owner: { ...ada, key: 'bob' } })).toEqual(['foreign']);
      expect(await rig.store.eraseOwner(ada, [])).toEqual({ deleted: 0, left: 0 });
      await rig.save('r4', { later: [1, 0, 0] });
      expect(await rig.listTexts()).toEqual(['later']);
    });

    test('an erased run saves nothing in any epoch, and other runs, also of other owners, do', async () => {
      await rig.store.eraseOwner(ada, ['erased']);
      for (const epoch of [1, 1_000]) {
        const late = rig.save('erased', { late: [1, 0, 0] }, { epoch });
        await expect(late).rejects.toMatchObject({ code: 'save-superseded' });
      }
      await rig.save('other', { kept: [1, 0, 0] });
      await rig.save('erased', { foreign: [1, 0, 0] }, { key: 'bob' });
      expect(await rig.listTexts()).toEqual(['kept']);
      expect(await rig.listTexts({ owner: { ...ada, key: 'bob' } })).toEqual(['foreign']);
    });

    test('a deletion rejects a tenant that is not a token', async () => {
      for (const tenant of ['', 'a b', '*']) {
        const place = { ...t1, tenant };
        await expect(rig.store.deleteThread(place)).rejects.toMatchObject({ code: 'token-invalid' });
        const messages = [{ messageId: 'm', text: 'x' }];
        await expect(rig.store.deleteMessages(place, messages)).rejects.toMatchObject({ code: 'token-invalid' });
      }
    });
  });
}
