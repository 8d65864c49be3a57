// response-cache: answers a repeated question of the same owner, to the same model under the same guards, from Redis.
// It stores the answer after the output chain; a cached answer passes the output chain and every later stage again.
import type { JsonObject } from '@millrace/contracts';
import {
  defineProcessor,
  type ProcessLLMRequestArgs,
  type ProcessLLMRequestResult,
  type ProcessLLMResponseArgs,
  type ProcessorDefinition,
} from '@millrace/processor';
import { z } from 'zod';
import { readObject, readString } from '../../guard/entry-state.ts';
import type { GuardStore } from '../../store/guard-store.ts';
import { buildCacheKey } from './cache-key.ts';
import { cacheAnswer } from './forget-cached.ts';
import { readBack, serializeChunks } from './cached-chunks.ts';

const MAX_TTL_SECONDS = 30 * 24 * 3_600;
const options = z.strictObject({
  ttlSeconds: z.int().min(1).max(MAX_TTL_SECONDS).default(300).describe('Seconds until a cached answer expires.'),
  scope: z
    .enum(['resource', 'thread'])
    .default('resource')
    .describe('Owner that shares answers: the runs of a resource, or of a thread. A run without one shares none.'),
});
type ResponseCacheOptions = z.output<typeof options>;

/** Finish reasons of a complete answer. */
const WHOLE: readonly string[] = ['stop', 'tool-calls'];

/**
 * Put it last under `input`: the key does not include changes that later entries make to the prompt. The key includes
 * everything that the provider receives (prompt, model, tools, tool choice, settings, provider options, schema), the
 * agent, and the versions and options of the other entries. The cache never shares answers between tenants or
 * resources. If a processor rejects an answer with `retry`, the cache deletes the answer and does not look it up for
 * the retry.
 *
 * @verdict continue: no answer is cached, or the call is a retry
 * @verdict respond: the answer of an earlier call
 * @cannot Notice a change of the outside world: current tool results or the time are part of the key only if they are
 * in the prompt.
 * @cannot Store an answer that was interrupted, exceeds 512 KiB, or contains a call of a provider's own tool.
 * @cannot Delete an answer that processOutputStep or processOutputResult aborts without a retry: these stages judge it
 * again at each hit.
 * @cannot Hide answers from readers of Redis: it stores answers in plain text for `ttlSeconds`, and prompts as hashes.
 * @example
 * input:
 *   - { use: response-cache, options: { ttlSeconds: 3600 } }
 */
export const defineResponseCache = (store: GuardStore): ProcessorDefinition =>
  defineProcessor({
    id: 'response-cache',
    description: 'Answers a repeated question of the same owner from a cache.',
    aliases: ['ResponseCache'],
    stages: ['processLLMRequest', 'processLLMResponse'],
    reads: ['prompt', 'tools', 'chunks'],
    // The cache guards nothing, so without Redis the model answers.
    policy: { onFailure: 'skip' },
    options,
    create: (chosen) => ({
      id: 'response-cache',
      processLLMRequest: (args) => answerFrom(store, chosen, args),
      processLLMResponse: (args) => keepAnswer(store, chosen, args),
    }),
  });

async function answerFrom(
  store: GuardStore,
  { scope }: ResponseCacheOptions,
  args: ProcessLLMRequestArgs,
): Promise<ProcessLLMRequestResult> {
  const { state, retryCount, stepNumber, abortSignal } = args;
  const key = buildCacheKey(scope, args);
  // Remembers the key of this request for its answer.
  state['key'] = key ?? null;
  if (key === undefined) return undefined;
  if (retryCount > 0) {
    const rejected = takeKeys(state, stepNumber);
    if (rejected.length > 0) await store.ask('delete a cached answer', abortSignal, (redis) => redis.del(...rejected));
    return undefined;
  }
  const chunks = readBack(await store.ask('read a cached answer', abortSignal, (redis) => redis.get(key)));
  return chunks && { response: { chunks } };
}

async function keepAnswer(
  store: GuardStore,
  { ttlSeconds }: ResponseCacheOptions,
  args: ProcessLLMResponseArgs,
): Promise<void> {
  const { fromCache, finishReason, chunks, state, stepNumber, abortSignal } = args;
  const key = readString(state, 'key');
  state['key'] = null;
  if (key === '' || !WHOLE.includes(finishReason)) return;
  const text = serializeChunks(chunks);
  if (text === undefined) return;
  readObject(state, 'kept')[stepNumber] = key;
  if (fromCache) return;
  await store.ask('store an answer', abortSignal, (redis) => cacheAnswer(redis, args.run, { key, text, ttlSeconds }));
}

/** Returns the keys of the answers that the retry rejects: those of this step and of later steps. */
function takeKeys(state: JsonObject, stepNumber: number): string[] {
  const kept = readObject(state, 'kept');
  return Object.entries(kept).flatMap(([step, key]) => {
    if (Number(step) < stepNumber) return [];
    delete kept[step];
    return typeof key === 'string' ? [key] : [];
  });
}
