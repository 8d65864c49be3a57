// Saves a run's block in Qdrant, which has no transactions. Fencing reads the epochs that the run has saved, and an
// update filter prevents a lower epoch or another run from taking a point. Between read and write a fenced owner can
// still add points that the later owner does not have. Two runs that end in one millisecond can take one tick: a run
// that finds another one at its tick after its write takes a later tick and writes again.
import { saveSuperseded } from '@millrace/stores';
import { buildCollectionName } from '../../store/point-id.ts';
import { computePointId } from '../../store/point-id.ts';
import {
  MAX_RUN_MESSAGES,
  computeOrder,
  readTick,
  type RecallPlace,
  type VectorBlock,
  type VectorSpace,
} from '../../store/vector-store.ts';
import type { Qdrant } from './qdrant-client.ts';
import { matchValue, filterByOwner, filterByRun, buildRange } from './qdrant-filter.ts';
import { buildPayload, readPayload } from './qdrant-payload.ts';

/**
 * Maximum number of attempts to find a free tick, and the largest distance of the next attempt from the last block, in
 * ticks; doubled each time.
 */
const MAX_PLACINGS = 8;
const FIRST_SPREAD = 4;

type Writer = { qdrant: Qdrant; space: VectorSpace; block: VectorBlock; signal: AbortSignal | undefined };

/** @throws save-superseded */
export async function saveQdrantRun(writer: Writer): Promise<void> {
  const { block } = writer;
  const saved = await readSavedBefore(writer);
  const epoch = Math.max(0, ...saved.map((payload) => payload.epoch));
  if (epoch > block.epoch) throw saveSuperseded(block, epoch);

  let tick = saved[0] ? readTick(Math.min(...saved.map(({ order }) => order))) : await freeTick(writer, 1);
  for (let placing = 0; placing < MAX_PLACINGS; placing++) {
    await upsert(writer, tick);
    if (!(await isShared(writer, tick))) break;
    tick = await freeTick(writer, FIRST_SPREAD * 2 ** placing);
  }
  if (saved.length > 0) await removeOthers(writer);
}

/** Deletes the points of a run that was erased while it was saved. */
export async function deleteErasedRun(qdrant: Qdrant, space: VectorSpace, block: VectorBlock): Promise<void> {
  const filter = { must: filterByRun(block) };
  await qdrant.call('delete an erased run', undefined, (api, init) =>
    api.deletePoints({ collection_name: buildCollectionName(space), wait: true, filter }, init),
  );
}

/** Points that this run has saved under any owner. */
async function readSavedBefore({ qdrant, space, block, signal }: Writer) {
  const request = {
    collection_name: buildCollectionName(space),
    filter: { must: filterByRun(block) },
    limit: MAX_RUN_MESSAGES,
    with_payload: true,
  };
  const found = await qdrant.call('read the points of the run', signal, (api, init) => api.scrollPoints(request, init));
  return (found.data.result?.points ?? []).map(({ payload }) => readPayload(payload));
}

/** Returns a tick after the thread's last block, and not before now. */
async function freeTick({ qdrant, space, block, signal }: Writer, spread: number): Promise<number> {
  const request = {
    collection_name: buildCollectionName(space),
    query: { order_by: { key: 'order', direction: 'desc' as const } },
    filter: { must: filterByOwner(block, block.threadId) },
    limit: 1,
    with_payload: true,
  };
  const found = await qdrant.call('find the last block', signal, (api, init) => api.queryPoints(request, init));
  const [last] = found.data.result?.points ?? [];
  const lastTick = last ? readTick(readPayload(last.payload).order) : 0;
  return Math.max(Date.now(), lastTick + 1 + Math.floor(Math.random() * spread));
}

async function upsert({ qdrant, space, block, signal }: Writer, tick: number): Promise<void> {
  const points = block.messages.map((message, position) => ({
    id: computePointId(block, message),
    vector: [...message.vector],
    payload: buildPayload(block, message, computeOrder(tick, position)),
  }));
  // A point that another run saved is the same message: it remains in place.
  const update_filter = { must: [matchValue('run', block.runId), buildRange('epoch', { lte: block.epoch })] };
  await qdrant.call('save a run', signal, (api, init) =>
    api.upsertPoints({ collection_name: buildCollectionName(space), wait: true, points, update_filter }, init),
  );
}

async function isShared({ qdrant, space, block, signal }: Writer, tick: number): Promise<boolean> {
  const atTick = buildRange('order', { gte: computeOrder(tick, 0), lt: computeOrder(tick + 1, 0) });
  const filter = {
    must: [...filterByOwner(block, block.threadId), atTick],
    must_not: [matchValue('run', block.runId)],
  };
  const counted = await qdrant.call('look for other runs at the tick', signal, (api, init) =>
    api.countPoints({ collection_name: buildCollectionName(space), filter, exact: true }, init),
  );
  return (counted.data.result?.count ?? 0) > 0;
}

/** Deletes points of an earlier owner or attempt that this one did not save. */
async function removeOthers({ qdrant, space, block, signal }: Writer): Promise<void> {
  const kept = block.messages.map((message) => computePointId(block, message));
  const filter = {
    must: [...filterByRun(block), buildRange('epoch', { lte: block.epoch })],
    must_not: [{ has_id: kept }],
  };
  await qdrant.call('replace a run', signal, (api, init) =>
    api.deletePoints({ collection_name: buildCollectionName(space), wait: true, filter }, init),
  );
}

/** Returns those of the points with these ids that other runs have saved. */
export async function readKnownPoints(
  qdrant: Qdrant,
  space: VectorSpace,
  { runId }: RecallPlace & { runId: string },
  ids: string[],
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const request = {
    collection_name: buildCollectionName(space),
    filter: { must: [{ has_id: ids }], must_not: [matchValue('run', runId)] },
    limit: Math.max(ids.length, 1),
    with_payload: false,
  };
  const found = await qdrant.call('look for messages', signal, (api, init) => api.scrollPoints(request, init));
  return new Set((found.data.result?.points ?? []).map(({ id }) => String(id)));
}
