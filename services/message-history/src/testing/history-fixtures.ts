// Messages and blocks for tests. Every field has a default; a test sets the fields that it checks.
import type { Message } from '@millrace/contracts';
import type { HistoryBlock } from '../store/history-store.ts';

export function message(id: string, text: string = id, role: Message['role'] = 'user'): Message {
  return { id, role, createdAt: '2026-01-01T00:00:00.000Z', content: { format: 2, parts: [{ type: 'text', text }] } };
}

/** Messages `<runId>.0`, `<runId>.1`, ... */
export function messagesOfRun(runId: string, count: number, text?: string): Message[] {
  return Array.from({ length: count }, (_, at) => message(`${runId}.${at}`, text, at % 2 === 0 ? 'user' : 'assistant'));
}

/** Returns an unused tenant, because tests share a server. */
export function newTenant(): string {
  return `t-${crypto.randomUUID()}`;
}

export function block(given: Partial<HistoryBlock> & { tenant: string }): HistoryBlock {
  const { runId = 'run-1' } = given;
  return {
    threadId: 'thread-1',
    owner: 'ada',
    runId,
    epoch: 1,
    messages: messagesOfRun(runId, 2),
    ...given,
  };
}

export function listIds(messages: readonly Message[]): string[] {
  return messages.map(({ id }) => id);
}
