// Conformance: the effects of one save.
import { DEFAULT_THREAD_TITLE, readMessageText, type JsonObject } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { MAX_BLOCK_MESSAGES, type HistoryStore } from '../history-store.ts';
import { deriveId } from '../rename-taken.ts';
import { block, listIds, message, messagesOfRun, newTenant } from '../../testing/history-fixtures.ts';

const everything = { limit: 1_000, offset: 0 };

export function describeSaving(store: () => HistoryStore): void {
  describe('saving a block', () => {
    test('the first save creates the thread with its title, count and times', async () => {
      const before = Date.now();
      const saved = block({ tenant: newTenant() });
      await store().saveBlock(saved);

      const thread = await store().getThread(saved);
      expect(thread).toEqual({
        id: saved.threadId,
        resourceId: saved.owner,
        title: DEFAULT_THREAD_TITLE,
        messageCount: 2,
        createdAt: thread.updatedAt,
        updatedAt: thread.updatedAt,
        lastMessageAt: thread.updatedAt,
        metadata: { agents: [] },
      });
      expect(Date.parse(thread.createdAt)).toBeGreaterThanOrEqual(before);
      expect(Date.parse(thread.createdAt)).toBeLessThanOrEqual(Date.now());
    });

    test('the thread lists the agents of its blocks, each once, in the order of their first saves', async () => {
      const tenant = newTenant();
      for (const [at, agent] of ['demo', 'other', undefined, 'demo', 'third-1'].entries())
        await store().saveBlock(block({ tenant, runId: `run-${at}`, agent, messages: messagesOfRun(`run-${at}`, 1) }));
      const { threadId } = block({ tenant });
      expect((await store().getThread({ tenant, threadId })).metadata).toEqual({
        agents: ['demo', 'other', 'third-1'],
      });
    });

    test('a later save keeps the creation time and increases the count', async () => {
      const saved = block({ tenant: newTenant() });
      await store().saveBlock(saved);
      const first = await store().getThread(saved);
      await store().saveBlock(block({ tenant: saved.tenant, runId: 'run-2', messages: messagesOfRun('run-2', 3) }));

      const second = await store().getThread(saved);
      expect(second.createdAt).toBe(first.createdAt);
      expect(second.messageCount).toBe(5);
      expect(second.updatedAt >= first.updatedAt).toBe(true);
    });

    test('the store returns every message unchanged, including parts of unknown types', async () => {
      const strange = {
        ...message('strange', 'tab\t, quote ", NUL \u0000, 🦆, "__proto__", \u2028'),
        threadId: 'thread-1',
      };
      const call = {
        ...message('call', '', 'assistant' as const),
        content: {
          format: 2 as const,
          parts: [
            {
              type: 'tool-invocation' as const,
              toolInvocation: {
                state: 'result' as const,
                toolCallId: 'c1',
                toolName: 'calculator',
                args: { x: 1.5 },
                result: [1, null],
              },
            },
          ],
          metadata: { note: { deep: [true] } },
        },
      };
      const saved = block({ tenant: newTenant(), messages: [strange, call] });
      await store().saveBlock(saved);

      const { messages } = await store().listMessages(saved, everything);
      expect(messages).toEqual([strange, call]);
    });

    test('the sequence of saves orders messages, not their timestamps', async () => {
      const tenant = newTenant();
      const late = { ...message('late'), createdAt: '2030-01-01T00:00:00.000Z' };
      const early = { ...message('early'), createdAt: '1999-01-01T00:00:00.000Z' };
      await store().saveBlock(block({ tenant, runId: 'z', messages: [late] }));
      await store().saveBlock(block({ tenant, runId: 'a', messages: [early] }));

      const { messages } = await store().listMessages(block({ tenant }), everything);
      expect(listIds(messages)).toEqual(['late', 'early']);
    });

    test('a save leaves a message that another run stored in place and unchanged', async () => {
      const tenant = newTenant();
      await store().saveBlock(block({ tenant, runId: 'a', messages: [message('u1', 'first'), message('a1')] }));
      const resent = [message('u1', ' first\n'), message('u2')];
      await store().saveBlock(block({ tenant, runId: 'b', messages: resent }));

      const { messages, total } = await store().listMessages(block({ tenant }), everything);
      expect(listIds(messages)).toEqual(['u1', 'a1', 'u2']);
      expect(messages[0]).toEqual(message('u1', 'first'));
      expect(total).toBe(3);
    });

    test('a save stores other words under an id of another run as a message of their own, once', async () => {
      const tenant = newTenant();
      const [cat, dog] = [message('1', 'My cat is called Tom.'), message('1', 'My dog is called Rex.')];
      await store().saveBlock(block({ tenant, runId: 'a', messages: [cat] }));
      await store().saveBlock(block({ tenant, runId: 'b', messages: [dog] }));
      await store().saveBlock(block({ tenant, runId: 'c', messages: [dog, message('2', 'third')] }));

      const { messages } = await store().listMessages(block({ tenant }), everything);
      expect(messages.map(readMessageText)).toEqual(['My cat is called Tom.', 'My dog is called Rex.', 'third']);
      expect(messages[0]?.id).toBe('1');
      expect(messages[1]?.id).toBe(deriveId(dog));
      expect(await store().getThread(block({ tenant }))).toMatchObject({ messageCount: 3 });
    });

    test('a save stores the same words with another file as a message of their own, once', async () => {
      const tenant = newTenant();
      const buildBody = (data: string) => {
        const parts = [...message('1', 'Look.').content.parts, { type: 'file' as const, data, mimeType: 'image/png' }];
        return { ...message('1'), content: { format: 2 as const, parts } };
      };
      for (const data of ['iVBORw0KGgo=', 'iVBORw0KGgoA', 'iVBORw0KGgoA'])
        await store().saveBlock(
          block({ tenant, runId: `of-${data}-${crypto.randomUUID()}`, messages: [buildBody(data)] }),
        );

      const { messages } = await store().listMessages(block({ tenant }), everything);
      expect(messages.map(({ content }) => content)).toEqual([
        buildBody('iVBORw0KGgo=').content,
        buildBody('iVBORw0KGgoA').content,
      ]);
      expect(messages[1]?.id).toBe(deriveId(buildBody('iVBORw0KGgoA')));
    });

    test('a repeated save of other words under an id of another run has no effect', async () => {
      const tenant = newTenant();
      await store().saveBlock(block({ tenant, runId: 'a', messages: [message('1', 'first')] }));
      const second = block({ tenant, runId: 'b', messages: [message('1', 'second'), message('2', 'third')] });
      await store().saveBlock(second);
      await store().saveBlock({ ...second, epoch: second.epoch + 1 });

      const { messages } = await store().listMessages(block({ tenant }), everything);
      expect(messages.map(readMessageText)).toEqual(['first', 'second', 'third']);
    });

    test('a caller that has used a derived id for other words hides no message', async () => {
      const tenant = newTenant();
      const spoken = message('1', 'spoken');
      await store().saveBlock(block({ tenant, runId: 'a', messages: [message('1', 'first')] }));
      await store().saveBlock(block({ tenant, runId: 'b', messages: [message(deriveId(spoken), 'harmless')] }));
      await store().saveBlock(block({ tenant, runId: 'c', messages: [spoken] }));
      const literal = message(deriveId(message('1', 'also spoken')), 'harmless too');
      await store().saveBlock(block({ tenant, runId: 'd', messages: [literal, message('1', 'also spoken')] }));

      const { messages } = await store().listMessages(block({ tenant }), everything);
      expect(messages.map(readMessageText)).toEqual(['first', 'harmless', 'spoken', 'harmless too', 'also spoken']);
      expect(new Set(listIds(messages)).size).toBe(5);
    });

    test('a derived id of the longest id fits the schema of a message', async () => {
      const tenant = newTenant();
      const id = 'i'.repeat(200);
      await store().saveBlock(block({ tenant, runId: 'a', messages: [message(id, 'first')] }));
      await store().saveBlock(block({ tenant, runId: 'b', messages: [message(id, 'second')] }));

      const { messages } = await store().listMessages(block({ tenant }), everything);
      expect(messages.map(readMessageText)).toEqual(['first', 'second']);
    });

    test('an empty block creates no thread', async () => {
      const nothing = block({ tenant: newTenant(), messages: [] });
      await store().saveBlock(nothing);

      await expect(store().getThread(nothing)).rejects.toMatchObject({ code: 'thread-unknown' });
      expect(await store().listThreads({ tenant: nothing.tenant }, everything)).toEqual({ threads: [], total: 0 });
    });

    test('the store rejects a save to the thread of another resource and stores nothing', async () => {
      const tenant = newTenant();
      await store().saveBlock(block({ tenant, owner: 'ada' }));
      const foreign = block({ tenant, owner: 'eve', runId: 'run-2' });

      await expect(store().saveBlock(foreign)).rejects.toMatchObject({ code: 'thread-foreign' });
      const { messages } = await store().listMessages(foreign, everything);
      expect(listIds(messages)).toEqual(['run-1.0', 'run-1.1']);
      expect(await store().getThread(foreign)).toMatchObject({ resourceId: 'ada', messageCount: 2 });
    });

    test('a save is atomic: one message that cannot be written prevents the whole block', async () => {
      const loop: JsonObject = {};
      loop['self'] = loop;
      const broken = { ...message('broken'), content: { format: 2 as const, parts: [], metadata: loop } };
      const half = block({ tenant: newTenant(), messages: [message('fine'), broken, message('also-fine')] });

      await expect(store().saveBlock(half)).rejects.toThrow(TypeError);
      await expect(store().getThread(half)).rejects.toMatchObject({ code: 'thread-unknown' });
      expect((await store().recallLast(half, 10)).messages).toEqual([]);
    });

    test('the store rejects a block of more messages than its position numbers allow', async () => {
      const huge = block({ tenant: newTenant(), messages: messagesOfRun('run-1', MAX_BLOCK_MESSAGES + 1) });
      await expect(store().saveBlock(huge)).rejects.toMatchObject({ code: 'message-invalid' });
    });

    test('the store accepts a block of maximum size and puts the next block after it', async () => {
      const tenant = newTenant();
      await store().saveBlock(block({ tenant, messages: messagesOfRun('run-1', MAX_BLOCK_MESSAGES, 'x') }));
      await store().saveBlock(block({ tenant, runId: 'run-2' }));

      const last = (await store().recallLast(block({ tenant }), 3)).messages;
      expect(listIds(last)).toEqual([`run-1.${MAX_BLOCK_MESSAGES - 1}`, 'run-2.0', 'run-2.1']);
    });

    test('the store does nothing for a caller that has aborted', async () => {
      const saved = block({ tenant: newTenant() });
      const reason = new Error('given up');
      await expect(store().saveBlock(saved, AbortSignal.abort(reason))).rejects.toBe(reason);
      expect((await store().recallLast(saved, 1)).messages).toEqual([]);
    });
  });
}
