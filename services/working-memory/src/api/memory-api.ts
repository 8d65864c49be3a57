// Implements the public verbs memory-get and memory-set for the working memory of a resource, of a thread without a
// resource, or of one thread of a resource; and the deletion of the memory of a thread.
import type { ForgottenSaves } from '@millrace/bus';
import { MillraceError, type ApiAnswer, type ApiRequest, type ForgetRequest } from '@millrace/contracts';
import {
  chooseMemoryOwner,
  buildResourceOwner,
  buildThreadOwner,
  requireOwnResource,
  type MemoryCaller,
} from '@millrace/stores';
import { MEMORY_MAX_BYTES, countBytes } from '../processor/memory-bound.ts';
import type { MemoryOwner, WorkingMemoryStore } from '../store/memory-store.ts';

/** @throws message-invalid if the request names no owner, or another one than its caller */
export const createMemoryGet =
  (store: WorkingMemoryStore) =>
  async (request: ApiRequest<'memory-get'>, call: MemoryCaller): Promise<ApiAnswer<'memory-get'>> => {
    const owner = readOwner(request);
    await requireOwnResource(call, request.resourceId);
    return store.read({ tenant: call.tenant, ...owner });
  };

function readOwner({ resourceId, threadId }: ApiRequest<'memory-get'>): Omit<MemoryOwner, 'tenant'> {
  if (resourceId !== undefined) return { key: buildResourceOwner(resourceId), threadId };
  if (threadId !== undefined) return { key: buildThreadOwner(threadId) };
  throw new MillraceError(
    'message-invalid',
    'The request names no owner: a memory belongs to a resource, or to a thread without one.',
    {
      path: 'resourceId',
      remedy:
        'Set resourceId; or threadId for a thread without a resource; or both for the memory of one thread of the resource.',
    },
  );
}

/** Number of times that runs may write between reading and writing here. */
const ATTEMPTS = 5;

/**
 * Replaces a memory. Only operators call the verb, and their memory is trusted.
 * @throws message-invalid, state-conflict if the memory has another version than the requested one
 */
export const createMemorySet =
  (store: WorkingMemoryStore) =>
  async (request: ApiRequest<'memory-set'>, { tenant }: MemoryCaller): Promise<ApiAnswer<'memory-set'>> => {
    const { memory, version, setId = crypto.randomUUID() } = request;
    const owner = { tenant, ...readOwner(request) };
    if (memory !== null && countBytes(memory) > MEMORY_MAX_BYTES) throw createTooLargeError(countBytes(memory));
    // No run has this id: ids of runs are tokens.
    const run = { runId: `set:${setId}`, epoch: 1 };
    for (let attempt = 1; ; attempt += 1) {
      const current = await store.readForRun(owner, run.runId);
      if (current.writtenEpoch > 0) return { memory: current.memory, version: current.version };
      if (version !== undefined && version !== current.version) throw createVersionError(version, current.version);
      const set = { owner, run, version: current.version, memory };
      const { outcome } = await store.compareAndSet({ ...set, trust: 'trusted' });
      if (outcome === 'written') return { memory, version: current.version + 1 };
      if (attempt === ATTEMPTS) throw createVersionError(current.version);
    }
  };

/**
 * Deletes the memory of a thread, and that of the thread as an owner; facts in the memory of a resource remain. Of a
 * resource it deletes all memories.
 */
export async function forgetMemories(store: WorkingMemoryStore, request: ForgetRequest): Promise<ForgottenSaves> {
  const { tenant } = request;
  if (request.what === 'messages') return { deleted: 0 };
  if (request.what === 'resource')
    return store.eraseOwner({ tenant, key: buildResourceOwner(request.resourceId) }, request.runs);
  const { threadId, resourceId } = request;
  const owners: MemoryOwner[] = [{ tenant, key: chooseMemoryOwner(request), threadId }];
  if (resourceId === undefined) owners.push({ tenant, key: buildThreadOwner(threadId) });
  const forgotten = await Promise.all(owners.map((owner) => store.forget(owner)));
  return { deleted: forgotten.filter(Boolean).length };
}

function createTooLargeError(bytes: number): MillraceError {
  return new MillraceError('message-invalid', `The memory is ${bytes} bytes; the limit is ${MEMORY_MAX_BYTES}.`, {
    path: 'memory',
    remedy: 'Every prompt contains the memory: leave fields out.',
  });
}

function createVersionError(wanted: number, current?: number): MillraceError {
  const found = current === undefined ? 'changes too often' : `has version ${current}`;
  return new MillraceError('state-conflict', `The memory ${found}, and version ${wanted} was to be replaced.`, {
    path: 'version',
    remedy: 'Read the memory again, and repeat the change with its version.',
  });
}
