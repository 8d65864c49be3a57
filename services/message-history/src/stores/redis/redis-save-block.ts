// Saves a run's block on Redis with one script, and repeats the script with new ids if another message has one of them.
import { readScript, RUN_MARK_TTL_MS, runScript } from '@millrace/stores';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { MAX_BLOCK_MESSAGES, RUN_MARKS_KEPT, UNNAMED_THREAD, type HistoryBlock } from '../../store/history-store.ts';
import { buildOwnPrefix, renameDifferent, renameOwnIds } from '../../store/rename-taken.ts';
import { writeMessage } from '../../store/stored-message.ts';
import { listThreadKeys } from './redis-keys.ts';

const script = readScript(new URL('./save-block.lua', import.meta.url));

const replySchema = z.union([
  z.tuple([z.literal('ok'), z.coerce.number()]),
  z.tuple([z.literal('nothing')]),
  z.tuple([z.literal('thread-foreign')]),
  z.tuple([z.literal('thread-exists')]),
  z.tuple([z.literal('save-superseded'), z.coerce.number()]),
  z.tuple([z.literal('id-taken'), z.coerce.number()]),
  z.tuple([z.literal('words-differ')], z.string()),
]);

/** Own ids are renamed once, other words twice, and again after a save of another run in between. */
const MAX_ATTEMPTS = 5;

type SaveResult =
  | { outcome: 'ok'; updatedAt: number }
  | { outcome: 'nothing' | 'thread-foreign' | 'thread-exists' }
  | { outcome: 'save-superseded'; epoch: number };

/** @throws token-invalid, errors of Redis, a TypeError for a message that is not JSON */
export async function saveRedisBlock(redis: Redis, block: HistoryBlock, now: number): Promise<SaveResult> {
  let [named, renamings] = [block, 0];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const reply = await save(redis, named, now);
    switch (reply[0]) {
      case 'ok':
        return { outcome: 'ok', updatedAt: reply[1] };
      case 'save-superseded':
        return { outcome: 'save-superseded', epoch: reply[1] };
      // Another save can take the block's number in between, but not an id with that number.
      case 'id-taken':
        named = renameOwnIds(named, reply[1]);
        break;
      case 'words-differ':
        named = renameDifferent(named, new Set(reply.slice(1)), renamings++);
        break;
      default:
        return { outcome: reply[0] };
    }
  }
  throw new Error(`A message of run "${block.runId}" has an id that is already taken under its new name too.`);
}

async function save(redis: Redis, block: HistoryBlock, now: number) {
  const { owner, runId, epoch, agent = '', messages, replaces = [], begins } = block;
  const { title, metadata, agents } = begins ?? UNNAMED_THREAD;
  const { thread, order, bodies, runs, erased } = listThreadKeys(block);
  const bounds = [title, MAX_BLOCK_MESSAGES, RUN_MARK_TTL_MS, RUN_MARKS_KEPT, buildOwnPrefix(runId)];
  const written = messages.flatMap((message) => [message.id, writeMessage(message)]);
  const start = [begins ? 'begins' : '', JSON.stringify({ agents }), JSON.stringify(metadata)];
  const args = [owner, runId, epoch, now, ...bounds, agent, ...start, replaces.length, ...replaces, ...written];
  return replySchema.parse(await runScript(redis, script, [thread, order, bodies, runs, erased], args));
}
