// Saves a run's block on Redis with one script, and repeats the script if one of the run's own ids is taken.
import { readScript, RUN_MARK_TTL_MS, runScript } from '@millrace/stores';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import {
  DEFAULT_THREAD_TITLE,
  MAX_BLOCK_MESSAGES,
  RUN_MARKS_KEPT,
  type HistoryBlock,
} from '../../store/history-store.ts';
import { buildOwnPrefix, renameOwnIds } from '../../store/own-ids.ts';
import { writeMessage } from '../../store/stored-message.ts';
import { listThreadKeys } from './redis-keys.ts';

const script = readScript(new URL('./save-block.lua', import.meta.url));

const replySchema = z.union([
  z.tuple([z.literal('ok'), z.coerce.number()]),
  z.tuple([z.literal('nothing')]),
  z.tuple([z.literal('thread-foreign')]),
  z.tuple([z.literal('save-superseded'), z.coerce.number()]),
  z.tuple([z.literal('id-taken'), z.coerce.number()]),
]);

type Saved =
  | { outcome: 'ok'; updatedAt: number }
  | { outcome: 'nothing' | 'thread-foreign' }
  | { outcome: 'save-superseded'; epoch: number };

/** @throws token-invalid, errors of Redis, a TypeError for a message that is not JSON */
export async function saveRedisBlock(redis: Redis, block: HistoryBlock, now: number): Promise<Saved> {
  const reply = await save(redis, block, now);
  // Another save can take the block's number in between, but not an id with that number.
  const [outcome, value = 0] = reply[0] === 'id-taken' ? await save(redis, renameOwnIds(block, reply[1]), now) : reply;
  switch (outcome) {
    case 'ok':
      return { outcome, updatedAt: value };
    case 'save-superseded':
      return { outcome, epoch: value };
    case 'id-taken':
      throw new Error(`A message of run "${block.runId}" has an id that is already taken under its new name too.`);
    default:
      return { outcome };
  }
}

async function save(redis: Redis, block: HistoryBlock, now: number) {
  const { owner, runId, epoch, messages } = block;
  const { thread, order, bodies, runs } = listThreadKeys(block);
  const bounds = [DEFAULT_THREAD_TITLE, MAX_BLOCK_MESSAGES, RUN_MARK_TTL_MS, RUN_MARKS_KEPT, buildOwnPrefix(runId)];
  const written = messages.flatMap((message) => [message.id, writeMessage(message)]);
  const args = [owner, runId, epoch, now, ...bounds, ...written];
  return replySchema.parse(await runScript(redis, script, [thread, order, bodies, runs], args));
}
