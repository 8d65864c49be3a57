// A run's block in the embedded store: what save-block.lua does on Redis, inside the caller's transaction.
import { RUN_MARK_TTL_MS, saveSuperseded } from '@millrace/stores';
import { threadForeign } from '../../store/history-errors.ts';
import { DEFAULT_TITLE, RUN_MARKS_KEPT, type RunBlock } from '../../store/history-store.ts';
import { ownIds, renamedOwn } from '../../store/own-ids.ts';
import { writeMessage } from '../../store/stored-message.ts';
import type { Statements } from './sqlite-statements.ts';

/** @throws thread-foreign, save-superseded; nothing is written then */
export function saveBlockRows(statements: Statements, block: RunBlock, now: number): void {
  const { tenant, threadId, owner, runId, epoch } = block;
  const begunBy = statements.findThread.get(tenant, threadId)?.['owner'];
  if (begunBy !== undefined && begunBy !== owner) throw threadForeign(block);

  const saved = statements.findRun.get(tenant, threadId, runId, now - RUN_MARK_TTL_MS);
  if (saved && epoch < Number(saved['epoch'])) throw saveSuperseded(block, Number(saved['epoch']));
  const hasMessages = block.messages.length > 0;
  if (!saved && !hasMessages) return;

  const begin = () => statements.beginBlock.get({ tenant, threadId, owner, title: DEFAULT_TITLE, now })?.['blocks'];
  const number = Number(saved ? saved['block'] : begin());
  const removed = Number(statements.clearBlock.run(tenant, threadId, number).changes);
  let added = 0;
  for (const [position, message] of named(statements, block, number).entries()) {
    const body = writeMessage(message);
    added += Number(statements.addMessage.run(tenant, threadId, message.id, number, position, body).changes);
  }
  statements.writeRun.run(tenant, threadId, runId, epoch, number, now);
  if (!saved && number % RUN_MARKS_KEPT === 0) statements.trimRuns.run(tenant, threadId, number - RUN_MARKS_KEPT);
  statements.touchThread.run({ tenant, threadId, now, hasMessages: hasMessages ? 1 : 0, removed, added });
}

/** The block's own messages are out of the way when this looks. */
function named(statements: Statements, block: RunBlock, number: number): RunBlock['messages'] {
  const own = ownIds(block.runId);
  const isTaken = block.messages.some(
    ({ id }) => id.startsWith(own) && statements.findMessage.get(block.tenant, block.threadId, id) !== undefined,
  );
  return isTaken ? renamedOwn(block, number).messages : block.messages;
}
