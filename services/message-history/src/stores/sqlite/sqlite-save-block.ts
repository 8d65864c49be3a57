// A run's block in the embedded store: what save-block.lua does on Redis, inside the caller's transaction.
import { saveSuperseded, threadForeign } from '../../store/history-errors.ts';
import { DEFAULT_TITLE, type RunBlock } from '../../store/history-store.ts';
import type { Statements } from './sqlite-statements.ts';
import { writeMessage } from '../../store/stored-message.ts';

/** @throws thread-foreign, save-superseded; nothing is written then */
export function saveBlockRows(statements: Statements, block: RunBlock, now: number): void {
  const { tenant, threadId, owner, runId, epoch, messages } = block;
  const begunBy = statements.findThread.get(tenant, threadId)?.['owner'];
  if (begunBy !== undefined && begunBy !== owner) throw threadForeign(block);

  const saved = statements.findRun.get(tenant, threadId, runId);
  if (saved && epoch < Number(saved['epoch'])) throw saveSuperseded(block, Number(saved['epoch']));
  const hasMessages = messages.length > 0;
  if (!saved && !hasMessages) return;

  const begin = () => statements.beginBlock.get({ tenant, threadId, owner, title: DEFAULT_TITLE, now })?.['blocks'];
  const number = Number(saved ? saved['block'] : begin());
  const removed = Number(statements.clearBlock.run(tenant, threadId, number).changes);
  let added = 0;
  for (const [position, message] of messages.entries()) {
    const body = writeMessage(message);
    added += Number(statements.addMessage.run(tenant, threadId, message.id, number, position, body).changes);
  }
  statements.writeRun.run(tenant, threadId, runId, epoch, number);
  statements.touchThread.run({ tenant, threadId, now, hasMessages: hasMessages ? 1 : 0, removed, added });
}
