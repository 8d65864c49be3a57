// Conformance: a run that saves again, after a retry or under a new owner.
import { readMessageText } from '@millrace/contracts';
import { RUN_MARK_TTL_MS } from '@millrace/stores';
import { describe, expect, test, vi } from 'vitest';
import type { HistoryStore, HistoryBlock } from '../history-store.ts';
import { block, listIds, message, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

export function describeReplacing(store: () => HistoryStore): void {
  const listMessageIds = async (thread: HistoryBlock) =>
    listIds((await store().listMessages(thread, { limit: 1_000, offset: 0 })).messages);

  /** run-1 (2 messages), then run-2 (2 messages). */
  const createTwoRuns = async (): Promise<HistoryBlock> => {
    const tenant = newTenant();
    await store().saveBlock(block({ tenant, runId: 'run-1', epoch: 2 }));
    await store().saveBlock(block({ tenant, runId: 'run-2' }));
    return block({ tenant, runId: 'run-1' });
  };

  describe('saves that replace messages of other runs', () => {
    const buildBody = (text: string) => message('run-2.0', text);

    test('delete them with the write of the block, once, and a repeated save changes nothing', async () => {
      const saved = await createTwoRuns();
      const replacing = { ...saved, runId: 'run-3', epoch: 1, messages: messagesOfRun('run-3', 2) };
      for (const epoch of [1, 1, 2]) {
        await store().saveBlock({ ...replacing, epoch, replaces: ['run-2.0', 'run-2.1', 'none'] });
        expect(await listMessageIds(saved)).toEqual(['run-1.0', 'run-1.1', 'run-3.0', 'run-3.1']);
        expect(await store().getThread(saved)).toMatchObject({ messageCount: 4 });
      }
    });

    test('store other words under a replaced id, and keep it', async () => {
      const saved = await createTwoRuns();
      const messages = [buildBody('other words'), message('run-3.0')];
      await store().saveBlock({ ...saved, runId: 'run-3', messages, replaces: ['run-2.0', 'run-2.1'] });
      expect(await listMessageIds(saved)).toEqual(['run-1.0', 'run-1.1', 'run-2.0', 'run-3.0']);
      expect(await store().findMessages(saved, ['run-2.0'])).toEqual([buildBody('other words')]);
    });

    test('delete nothing if the block is empty, superseded or of another owner', async () => {
      const saved = await createTwoRuns();
      const replaces = ['run-2.0', 'run-2.1'];
      await store().saveBlock({ ...saved, runId: 'run-3', messages: [], replaces });
      await expect(store().saveBlock({ ...saved, epoch: 1, replaces })).rejects.toMatchObject({
        code: 'save-superseded',
      });
      const foreign = { ...saved, runId: 'run-4', owner: 'bob', replaces };
      await expect(store().saveBlock(foreign)).rejects.toMatchObject({ code: 'thread-foreign' });
      expect(await listMessageIds(saved)).toEqual(['run-1.0', 'run-1.1', 'run-2.0', 'run-2.1']);
    });
  });

  describe('repeated saves of a run', () => {
    test('a repeated save with the same epoch has no effect', async () => {
      const saved = await createTwoRuns();
      await store().saveBlock({ ...saved, epoch: 2 });

      expect(await listMessageIds(saved)).toEqual(['run-1.0', 'run-1.1', 'run-2.0', 'run-2.1']);
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 4 });
    });

    test('a higher epoch replaces the block in place, even with a longer one', async () => {
      const saved = await createTwoRuns();
      const longer = [message('run-1.0', 'said anew'), ...messagesOfRun('longer', 30)];
      await store().saveBlock({ ...saved, epoch: 3, messages: longer });

      expect(await listMessageIds(saved)).toEqual([...listIds(longer), 'run-2.0', 'run-2.1']);
      const { messages } = await store().listMessages(saved, { limit: 1, offset: 0 });
      expect(messages[0]).toEqual(message('run-1.0', 'said anew'));
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 33 });
    });

    test('a higher epoch replaces the block with a shorter one, or with nothing', async () => {
      const saved = await createTwoRuns();
      await store().saveBlock({ ...saved, epoch: 3, messages: [message('only')] });
      expect(await listMessageIds(saved)).toEqual(['only', 'run-2.0', 'run-2.1']);

      await store().saveBlock({ ...saved, epoch: 4, messages: [] });
      expect(await listMessageIds(saved)).toEqual(['run-2.0', 'run-2.1']);
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 2 });

      await store().saveBlock({ ...saved, epoch: 5 });
      expect(await listMessageIds(saved)).toEqual(['run-1.0', 'run-1.1', 'run-2.0', 'run-2.1']);
    });

    test('the store rejects a lower epoch and changes nothing', async () => {
      const saved = await createTwoRuns();
      const before = await store().getThread(saved);
      const late = { ...saved, epoch: 1, messages: [message('late')] };

      await expect(store().saveBlock(late)).rejects.toMatchObject({ code: 'save-superseded' });
      await expect(store().saveBlock({ ...late, messages: [] })).rejects.toMatchObject({ code: 'save-superseded' });
      expect(await listMessageIds(saved)).toEqual(['run-1.0', 'run-1.1', 'run-2.0', 'run-2.1']);
      expect(await store().getThread(saved)).toEqual(before);
    });

    test('the store compares epochs as numbers', async () => {
      const saved = await createTwoRuns();
      await store().saveBlock({ ...saved, epoch: 10 });
      await expect(store().saveBlock({ ...saved, epoch: 9 })).rejects.toMatchObject({ code: 'save-superseded' });
    });

    test('a save does not change the messages of another run, even if both runs name them', async () => {
      const saved = await createTwoRuns();
      await store().saveBlock({ ...saved, epoch: 3, messages: [message('run-2.0', 'stolen'), message('own')] });
      await store().saveBlock({ ...saved, epoch: 4, messages: [message('own')] });

      const { messages } = await store().listMessages(saved, { limit: 10, offset: 0 });
      expect(listIds(messages)).toEqual(['own', 'run-2.0', 'run-2.1']);
      expect(messages[1]).toEqual(messagesOfRun('run-2', 1)[0]);
    });

    test('a reused run id, after the mark of its first run expired, is another run: both blocks remain', async () => {
      const saved = await createTwoRuns();
      const again = { ...saved, epoch: 1, messages: [message('u9'), message('run-1.0', 'another answer')] };
      await runAtTime(Date.now() + RUN_MARK_TTL_MS + 60_000, async () => {
        await store().saveBlock(again);
        await store().saveBlock(again);
      });
      const { messages } = await store().listMessages(saved, { limit: 10, offset: 0 });
      const ids = ['run-1.0', 'run-1.1', 'run-2.0', 'run-2.1', 'u9', 'run-1.0~3'];
      expect(listIds(messages)).toEqual(ids);
      expect(messages.map(readMessageText)).toEqual([...ids.slice(0, 4), 'u9', 'another answer']);
    });

    test('a run keeps its answer if a caller has already used one of its ids', async () => {
      const tenant = newTenant();
      await store().saveBlock(block({ tenant, runId: 'run-1', messages: [message('run-2.0', 'forged')] }));
      const answered = block({ tenant, runId: 'run-2', messages: [message('u2'), message('run-2.0', 'the answer')] });
      await store().saveBlock(answered);
      await store().saveBlock({ ...answered, epoch: 2 });
      const { messages } = await store().listMessages(answered, { limit: 10, offset: 0 });
      expect(messages.map(readMessageText)).toEqual(['forged', 'u2', 'the answer']);
    });

    test('the store counts epochs per thread and run: a run id in another thread is another run', async () => {
      const saved = await createTwoRuns();
      await store().saveBlock({ ...saved, threadId: 'thread-2', epoch: 1 });
      expect(await listMessageIds({ ...saved, threadId: 'thread-2' })).toEqual(['run-1.0', 'run-1.1']);
    });
  });
}

/** The store uses the clock of this process. */
async function runAtTime(ms: number, work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: ms });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}
