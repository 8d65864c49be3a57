// Saves a run's block in the embedded store within the caller's transaction, as save-block.lua does on Redis.
import { ERASED_EPOCH, type Message } from '@millrace/contracts';
import { RUN_MARK_TTL_MS, saveSuperseded } from '@millrace/stores';
import { createExistingThreadError, createForeignThreadError } from '../../store/history-errors.ts';
import { RUN_MARKS_KEPT, UNNAMED_THREAD, type HistoryBlock } from '../../store/history-store.ts';
import { buildOwnPrefix, haveSameWords, renameDifferent, renameOwnIds } from '../../store/rename-taken.ts';
import { readMessage, writeMessage } from '../../store/stored-message.ts';
import type { Statements } from './sqlite-statements.ts';

/** @throws thread-foreign, save-superseded, state-conflict, before anything is written */
export function saveBlockRows(statements: Statements, block: HistoryBlock, now: number): void {
  const { tenant, threadId, owner, runId, epoch, agent, begins } = block;
  if (statements.isErased.get(tenant, threadId, runId, now)) throw saveSuperseded(block, ERASED_EPOCH);
  const firstOwner = statements.findThread.get(tenant, threadId)?.['owner'];
  if (firstOwner !== undefined && firstOwner !== owner) throw createForeignThreadError(block);

  const saved = statements.findRun.get(tenant, threadId, runId, now - RUN_MARK_TTL_MS);
  if (saved && epoch < Number(saved['epoch'])) throw saveSuperseded(block, Number(saved['epoch']));
  const hasMessages = block.messages.length > 0;
  if (!saved && begins && firstOwner !== undefined) throw createExistingThreadError(block);
  if (!saved && !hasMessages && !begins) return;

  const { title, metadata: own, agents } = begins ?? UNNAMED_THREAD;
  const metadata = JSON.stringify({ ...own, ...(agents && { agents }) });
  const thread = { tenant, threadId, owner, title, metadata, now };
  const number = Number(saved ? saved['block'] : statements.beginBlock.get(thread)?.['blocks']);
  if (agent !== undefined) statements.addAgent.run({ tenant, threadId, agent });
  const cleared = Number(statements.clearBlock.run(tenant, threadId, number).changes);
  const replaced = hasMessages ? (block.replaces ?? []) : [];
  const dropped = replaced.map((id) => Number(statements.dropMessage.run(tenant, threadId, id).changes));
  const removed = dropped.reduce((sum, one) => sum + one, cleared);
  let added = 0;
  for (const [position, message] of renameTaken(statements, block, number).entries()) {
    const body = writeMessage(message);
    added += Number(statements.addMessage.run(tenant, threadId, message.id, number, position, body).changes);
  }
  statements.writeRun.run(tenant, threadId, runId, epoch, number, now);
  if (!saved && number % RUN_MARKS_KEPT === 0) statements.trimRuns.run(tenant, threadId, number - RUN_MARKS_KEPT);
  statements.touchThread.run({ tenant, threadId, now, hasMessages: hasMessages ? 1 : 0, removed, added });
}

/** A message of a newer version is a different one. */
function hasStoredWords(stored: string, message: Message): boolean {
  try {
    return haveSameWords(readMessage(stored), message);
  } catch {
    return false;
  }
}

/** Call this after the block's previous messages are deleted, because they would count as taken. */
function renameTaken(statements: Statements, block: HistoryBlock, number: number): HistoryBlock['messages'] {
  const own = buildOwnPrefix(block.runId);
  const findStored = (id: string) => statements.findMessage.get(block.tenant, block.threadId, id)?.['body'];
  const isTaken = block.messages.some(({ id }) => id.startsWith(own) && findStored(id) !== undefined);
  let renamed = isTaken ? renameOwnIds(block, number) : block;
  for (let attempt = 0; ; attempt += 1) {
    const different = renamed.messages.filter((message) => {
      const stored = findStored(message.id);
      return stored !== undefined && !hasStoredWords(String(stored), message);
    });
    if (different.length === 0) return renamed.messages;
    renamed = renameDifferent(renamed, new Set(different.map(({ id }) => id)), attempt);
  }
}
