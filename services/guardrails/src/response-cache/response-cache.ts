// response-cache: the same question of the same owner, to the same model under the same guards, has the answer that it had. What is kept is
// what the output chain let through; what comes out of the cache passes it again, and every stage after it.
import type { JsonObject } from '@millrace/contracts';
import {
  defineProcessor,
  type ProcessLLMRequestArgs,
  type ProcessLLMRequestResult,
  type ProcessLLMResponseArgs,
  type ProcessorDefinition,
} from '@millrace/processor';
import { z } from 'zod';
import { objectIn, stringIn } from '../guard/entry-state.ts';
import type { GuardStore } from '../store/guard-store.ts';
import { cacheKey } from './cache-key.ts';
import { readBack, written } from './cached-chunks.ts';

const MAX_TTL_SECONDS = 30 * 24 * 3_600;
const options = z.strictObject({
  ttlSeconds: z.int().min(1).max(MAX_TTL_SECONDS).default(300).describe('how long an answer is kept'),
  scope: z
    .enum(['resource', 'thread'])
    .default('resource')
    .describe('who shares answers: the runs of a resource, or of a thread; a run without either shares none'),
});
type Options = z.output<typeof options>;

/** Answers that ended for one of these are whole. */
const WHOLE: readonly string[] = ['stop', 'tool-calls'];

/**
 * Put it last under `input`: what other entries make of the prompt after it is not in its key. The key has all that the provider is
 * asked (prompt, model, tools, tool choice, settings, provider options, schema), the agent, and the versions and options of the other
 * entries. Answers are never shared between tenants or resources. An answer that somebody wants another try for is forgotten, and not
 * asked of the cache.
 *
 * @verdict continue: nothing is known, or it is asked for again
 * @verdict respond: the answer of an earlier call
 * @cannot Know that the world has changed: what tools or the clock would say now is not in the key unless it is in the prompt.
 * @cannot Keep an answer that was cut off, is over 512 KiB, or in which the provider called a tool of its own.
 * @cannot Forget an answer that processOutputStep or processOutputResult aborts: each time it is asked for it is judged again.
 * @cannot Keep a secret from who reads Redis: answers stand there as they were let through, for `ttlSeconds`; prompts as hashes.
 * @example
 * input:
 *   - { use: response-cache, options: { ttlSeconds: 3600 } }
 */
export const responseCache = (store: GuardStore): ProcessorDefinition =>
  defineProcessor({
    id: 'response-cache',
    description: 'Answers a question that its owner has asked before with the answer that it had.',
    aliases: ['ResponseCache'],
    stages: ['processLLMRequest', 'processLLMResponse'],
    reads: ['prompt', 'tools', 'chunks'],
    // It guards nothing: without it the model is asked.
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
  { scope }: Options,
  args: ProcessLLMRequestArgs,
): Promise<ProcessLLMRequestResult> {
  const { state, retryCount, stepNumber, abortSignal } = args;
  const key = cacheKey(scope, args);
  // For the answer to this very question.
  state['key'] = key ?? null;
  if (key === undefined) return undefined;
  if (retryCount > 0) {
    const rejected = takeKeys(state, stepNumber);
    if (rejected.length > 0) await store.ask('forget an answer', abortSignal, (redis) => redis.del(...rejected));
    return undefined;
  }
  const chunks = readBack(await store.ask('read an answer', abortSignal, (redis) => redis.get(key)));
  return chunks && { response: { chunks } };
}

async function keepAnswer(store: GuardStore, { ttlSeconds }: Options, args: ProcessLLMResponseArgs): Promise<void> {
  const { fromCache, finishReason, chunks, state, stepNumber, abortSignal } = args;
  const key = stringIn(state, 'key');
  state['key'] = null;
  if (key === '' || !WHOLE.includes(finishReason)) return;
  const text = written(chunks);
  if (text === undefined) return;
  objectIn(state, 'kept')[stepNumber] = key;
  if (!fromCache) await store.ask('keep an answer', abortSignal, (redis) => redis.set(key, text, 'EX', ttlSeconds));
}

/** Where the answers stand that the run has begun anew behind: those of this step, and of the steps after it that were rejected with it. */
function takeKeys(state: JsonObject, stepNumber: number): string[] {
  const kept = objectIn(state, 'kept');
  return Object.entries(kept).flatMap(([step, key]) => {
    if (Number(step) < stepNumber) return [];
    delete kept[step];
    return typeof key === 'string' ? [key] : [];
  });
}
