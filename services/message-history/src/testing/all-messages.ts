// Lists all messages of a thread by pages: the size limit can end a page before its `limit`.
import type { Message } from '@millrace/contracts';
import type { HistoryStore, HistoryBlock } from '../store/history-store.ts';

const PAGE = 1_000;

export async function listAllMessages(
  store: HistoryStore,
  thread: HistoryBlock,
): Promise<{ messages: Message[]; total: number }> {
  const messages: Message[] = [];
  for (;;) {
    const page = await store.listMessages(thread, { limit: PAGE, offset: messages.length });
    messages.push(...page.messages);
    if (page.messages.length === 0 || messages.length >= page.total) return { messages, total: page.total };
  }
}
