// All messages of a thread, page after page: a page ends where its bytes end, whatever its limit.
import type { Message } from '@millrace/contracts';
import type { HistoryStore, RunBlock } from '../store/history-store.ts';

const PAGE = 1_000;

export async function allMessages(
  store: HistoryStore,
  thread: RunBlock,
): Promise<{ messages: Message[]; total: number }> {
  const messages: Message[] = [];
  for (;;) {
    const page = await store.listMessages(thread, { limit: PAGE, offset: messages.length });
    messages.push(...page.messages);
    if (page.messages.length === 0 || messages.length >= page.total) return { messages, total: page.total };
  }
}
