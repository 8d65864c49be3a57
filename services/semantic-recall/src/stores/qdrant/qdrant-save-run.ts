// A run's block in Qdrant, which has no transactions. A block is fenced by a look at what its run has saved before, and by an
// update filter that never lets a lower epoch, or another run, take a point; between the look and the write a fenced owner could
// still add points that the later owner has not. Two runs that end in one moment may take one tick: who sees another one there
// after its write takes a later tick, and writes once more.
import { saveSuperseded } from '@millrace/stores';
import { collectionName } from '../../store/collection-name.ts';
import { pointId } from '../../store/point-id.ts';
import {
  MAX_RUN_MESSAGES,
  orderOf,
  tickOf,
  type RecallPlace,
  type RunBlock,
  type VectorSpace,
} from '../../store/vector-store.ts';
import type { Qdrant } from './qdrant-client.ts';
import { is, ofOwner, ofRun, range } from './qdrant-filter.ts';
import { payloadOf, readPayload } from './qdrant-payload.ts';

/** How often a block looks for a tick of its own, and how far the next try may be from the last block, ticks; doubled each time. */
const MAX_PLACINGS = 8;
const FIRST_SPREAD = 4;

type Writer = { qdrant: Qdrant; space: VectorSpace; block: RunBlock; signal: AbortSignal | undefined };

/** @throws save-superseded */
export async function saveQdrantRun(writer: Writer): Promise<void> {
  const { block } = writer;
  const saved = await savedBefore(writer);
  const epoch = Math.max(0, ...saved.map((payload) => payload.epoch));
  if (epoch > block.epoch) throw saveSuperseded(block, epoch);

  let tick = saved[0] ? tickOf(Math.min(...saved.map(({ order }) => order))) : await freeTick(writer, 1);
  for (let placing = 0; placing < MAX_PLACINGS; placing++) {
    await upsert(writer, tick);
    if (!(await isShared(writer, tick))) break;
    tick = await freeTick(writer, FIRST_SPREAD * 2 ** placing);
  }
  if (saved.length > 0) await removeOthers(writer);
}

/** What this run has saved, by whichever owner. */
async function savedBefore({ qdrant, space, block, signal }: Writer) {
  const request = {
    collection_name: collectionName(space),
    filter: { must: ofRun(block) },
    limit: MAX_RUN_MESSAGES,
    with_payload: true,
  };
  const found = await qdrant.call('read what the run has saved', signal, (api, init) =>
    api.scrollPoints(request, init),
  );
  return (found.data.result?.points ?? []).map(({ payload }) => readPayload(payload));
}

/** After the thread's last block, and not before now. */
async function freeTick({ qdrant, space, block, signal }: Writer, spread: number): Promise<number> {
  const request = {
    collection_name: collectionName(space),
    query: { order_by: { key: 'order', direction: 'desc' as const } },
    filter: { must: ofOwner(block, block.threadId) },
    limit: 1,
    with_payload: true,
  };
  const found = await qdrant.call('find the last block', signal, (api, init) => api.queryPoints(request, init));
  const [last] = found.data.result?.points ?? [];
  const lastTick = last ? tickOf(readPayload(last.payload).order) : 0;
  return Math.max(Date.now(), lastTick + 1 + Math.floor(Math.random() * spread));
}

async function upsert({ qdrant, space, block, signal }: Writer, tick: number): Promise<void> {
  const points = block.messages.map((message, position) => ({
    id: pointId(block, message),
    vector: [...message.vector],
    payload: payloadOf(block, message, orderOf(tick, position)),
  }));
  // What another run has saved is this message, and stays where it is.
  const update_filter = { must: [is('run', block.runId), range('epoch', { lte: block.epoch })] };
  await qdrant.call('save a run', signal, (api, init) =>
    api.upsertPoints({ collection_name: collectionName(space), wait: true, points, update_filter }, init),
  );
}

async function isShared({ qdrant, space, block, signal }: Writer, tick: number): Promise<boolean> {
  const atTick = range('order', { gte: orderOf(tick, 0), lt: orderOf(tick + 1, 0) });
  const filter = { must: [...ofOwner(block, block.threadId), atTick], must_not: [is('run', block.runId)] };
  const counted = await qdrant.call('look beside the run', signal, (api, init) =>
    api.countPoints({ collection_name: collectionName(space), filter, exact: true }, init),
  );
  return (counted.data.result?.count ?? 0) > 0;
}

/** What an earlier owner, or an earlier attempt, has saved and this one has not. */
async function removeOthers({ qdrant, space, block, signal }: Writer): Promise<void> {
  const kept = block.messages.map((message) => pointId(block, message));
  const filter = {
    must: [...ofRun(block), range('epoch', { lte: block.epoch })],
    must_not: [{ has_id: kept }],
  };
  await qdrant.call('replace a run', signal, (api, init) =>
    api.deletePoints({ collection_name: collectionName(space), wait: true, filter }, init),
  );
}

/** Of the points with these ids, those that other runs have saved. */
export async function knownPoints(
  qdrant: Qdrant,
  space: VectorSpace,
  { runId }: RecallPlace & { runId: string },
  ids: string[],
  signal: AbortSignal | undefined,
): Promise<Set<string>> {
  const request = {
    collection_name: collectionName(space),
    filter: { must: [{ has_id: ids }], must_not: [is('run', runId)] },
    limit: Math.max(ids.length, 1),
    with_payload: false,
  };
  const found = await qdrant.call('look for messages', signal, (api, init) => api.scrollPoints(request, init));
  return new Set((found.data.result?.points ?? []).map(({ id }) => String(id)));
}
