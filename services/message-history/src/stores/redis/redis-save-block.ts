// A run's block on Redis: one script, asked a second time where an id of the run's own is taken.
import { readScript, RUN_MARK_TTL_MS, runScript } from '@millrace/stores';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { DEFAULT_TITLE, MAX_BLOCK_MESSAGES, RUN_MARKS_KEPT, type RunBlock } from '../../store/history-store.ts';
import { ownIds, renamedOwn } from '../../store/own-ids.ts';
import { writeMessage } from '../../store/stored-message.ts';
import { threadKeys } from './redis-keys.ts';

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

/** @throws token-invalid, what Redis answers, a TypeError for a message that is not JSON */
export async function saveRedisBlock(redis: Redis, block: RunBlock, now: number): Promise<Saved> {
  const reply = await save(redis, block, now);
  // Another save may take the block's number in between, but never an id with it.
  const [outcome, value = 0] = reply[0] === 'id-taken' ? await save(redis, renamedOwn(block, reply[1]), now) : reply;
  switch (outcome) {
    case 'ok':
      return { outcome, updatedAt: value };
    case 'save-superseded':
      return { outcome, epoch: value };
    case 'id-taken':
      throw new Error(`A message of run "${block.runId}" has an id that is taken twice.`);
    default:
      return { outcome };
  }
}

async function save(redis: Redis, block: RunBlock, now: number) {
  const { owner, runId, epoch, messages } = block;
  const { thread, order, bodies, runs } = threadKeys(block);
  const bounds = [DEFAULT_TITLE, MAX_BLOCK_MESSAGES, RUN_MARK_TTL_MS, RUN_MARKS_KEPT, ownIds(runId)];
  const written = messages.flatMap((message) => [message.id, writeMessage(message)]);
  const args = [owner, runId, epoch, now, ...bounds, ...written];
  return replySchema.parse(await runScript(redis, script, [thread, order, bodies, runs], args));
}
