// Conformance: a run that saves again, after an attempt that was repeated or under a new owner.
import { messageText } from '@millrace/contracts';
import { RUN_MARK_TTL_MS } from '@millrace/stores';
import { describe, expect, test, vi } from 'vitest';
import type { HistoryStore, RunBlock } from '../history-store.ts';
import { block, idsOf, message, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

export function describeReplacing(store: () => HistoryStore): void {
  const idsIn = async (thread: RunBlock) =>
    idsOf((await store().listMessages(thread, { limit: 1_000, offset: 0 })).messages);

  /** run-1 (2 messages), then run-2 (2 messages). */
  const twoRuns = async (): Promise<RunBlock> => {
    const tenant = newTenant();
    await store().saveBlock(block({ tenant, runId: 'run-1', epoch: 2 }));
    await store().saveBlock(block({ tenant, runId: 'run-2' }));
    return block({ tenant, runId: 'run-1' });
  };

  describe('saving a run again', () => {
    test('is saving it once, where the epoch is the same', async () => {
      const saved = await twoRuns();
      await store().saveBlock({ ...saved, epoch: 2 });

      expect(await idsIn(saved)).toEqual(['run-1.0', 'run-1.1', 'run-2.0', 'run-2.1']);
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 4 });
    });

    test('replaces its block in place for a higher epoch, also by a longer one', async () => {
      const saved = await twoRuns();
      const longer = [message('run-1.0', 'said anew'), ...messagesOfRun('longer', 30)];
      await store().saveBlock({ ...saved, epoch: 3, messages: longer });

      expect(await idsIn(saved)).toEqual([...idsOf(longer), 'run-2.0', 'run-2.1']);
      const { messages } = await store().listMessages(saved, { limit: 1, offset: 0 });
      expect(messages[0]).toEqual(message('run-1.0', 'said anew'));
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 33 });
    });

    test('replaces it by a shorter one, and by nothing', async () => {
      const saved = await twoRuns();
      await store().saveBlock({ ...saved, epoch: 3, messages: [message('only')] });
      expect(await idsIn(saved)).toEqual(['only', 'run-2.0', 'run-2.1']);

      await store().saveBlock({ ...saved, epoch: 4, messages: [] });
      expect(await idsIn(saved)).toEqual(['run-2.0', 'run-2.1']);
      expect(await store().getThread(saved)).toMatchObject({ messageCount: 2 });

      await store().saveBlock({ ...saved, epoch: 5 });
      expect(await idsIn(saved)).toEqual(['run-1.0', 'run-1.1', 'run-2.0', 'run-2.1']);
    });

    test('refuses a lower epoch, and changes nothing', async () => {
      const saved = await twoRuns();
      const before = await store().getThread(saved);
      const late = { ...saved, epoch: 1, messages: [message('late')] };

      await expect(store().saveBlock(late)).rejects.toMatchObject({ code: 'save-superseded' });
      await expect(store().saveBlock({ ...late, messages: [] })).rejects.toMatchObject({ code: 'save-superseded' });
      expect(await idsIn(saved)).toEqual(['run-1.0', 'run-1.1', 'run-2.0', 'run-2.1']);
      expect(await store().getThread(saved)).toEqual(before);
    });

    test('compares epochs as numbers', async () => {
      const saved = await twoRuns();
      await store().saveBlock({ ...saved, epoch: 10 });
      await expect(store().saveBlock({ ...saved, epoch: 9 })).rejects.toMatchObject({ code: 'save-superseded' });
    });

    test('leaves what another run owns alone, also where both name it', async () => {
      const saved = await twoRuns();
      await store().saveBlock({ ...saved, epoch: 3, messages: [message('run-2.0', 'stolen'), message('own')] });
      await store().saveBlock({ ...saved, epoch: 4, messages: [message('own')] });

      const { messages } = await store().listMessages(saved, { limit: 10, offset: 0 });
      expect(idsOf(messages)).toEqual(['own', 'run-2.0', 'run-2.1']);
      expect(messages[1]).toEqual(messagesOfRun('run-2', 1)[0]);
    });

    test('a run id that comes again when its first run is forgotten is another run: both blocks stay', async () => {
      const saved = await twoRuns();
      const again = { ...saved, epoch: 1, messages: [message('u9'), message('run-1.0', 'another answer')] };
      await atTime(Date.now() + RUN_MARK_TTL_MS + 60_000, async () => {
        await store().saveBlock(again);
        await store().saveBlock(again);
      });
      const { messages } = await store().listMessages(saved, { limit: 10, offset: 0 });
      const ids = ['run-1.0', 'run-1.1', 'run-2.0', 'run-2.1', 'u9', 'run-1.0~3'];
      expect(idsOf(messages)).toEqual(ids);
      expect(messages.map(messageText)).toEqual([...ids.slice(0, 4), 'u9', 'another answer']);
    });

    test('an id of the run’s own that a caller has used before does not cost the run its answer', async () => {
      const tenant = newTenant();
      await store().saveBlock(block({ tenant, runId: 'run-1', messages: [message('run-2.0', 'forged')] }));
      const answered = block({ tenant, runId: 'run-2', messages: [message('u2'), message('run-2.0', 'the answer')] });
      await store().saveBlock(answered);
      await store().saveBlock({ ...answered, epoch: 2 });
      const { messages } = await store().listMessages(answered, { limit: 10, offset: 0 });
      expect(messages.map(messageText)).toEqual(['forged', 'u2', 'the answer']);
    });

    test('counts epochs per thread and run: the same run id in another thread is another run', async () => {
      const saved = await twoRuns();
      await store().saveBlock({ ...saved, threadId: 'thread-2', epoch: 1 });
      expect(await idsIn({ ...saved, threadId: 'thread-2' })).toEqual(['run-1.0', 'run-1.1']);
    });
  });
}

/** The store's clock is this process's. */
async function atTime(ms: number, work: () => Promise<void>): Promise<void> {
  vi.useFakeTimers({ toFake: ['Date'], now: ms });
  try {
    await work();
  } finally {
    vi.useRealTimers();
  }
}
