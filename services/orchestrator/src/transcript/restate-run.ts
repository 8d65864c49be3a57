// Replaces streamed text that differs from the final text of the run. A finished run retracts the chunks of the first
// step that differs and all later ones, and publishes the final ones, before its last chunk. The state has the new chunks
// and the ending before the retract: the next owner publishes the same.
import {
  MillraceError,
  storedChunkSchema,
  toLoggedError,
  messageSchema,
  type Chunk,
  type ChunkOf,
  type RunAction,
} from '@millrace/contracts';
import type { JetStreamAccess } from '@millrace/bus';
import { z } from 'zod';
import { makeChunk } from './make-chunk.ts';
import { readVisible } from './logged-chunks.ts';
import type { RunTranscript, StatedRun } from './run-transcript.ts';
import { storeBeforeRetract, type StoringRun } from './store-before-retract.ts';
import { readHead } from '../head/run-head.ts';
import { joinText, makeMessageChunks } from './message-chunks.ts';
import {
  findRestated,
  listAdded,
  restateAll,
  restateSteps,
  type FinalAnswer,
  type RestatedAnswer,
} from './restate-steps.ts';

/** Chunks of a larger size are not read back from the log: only the answers are published again. */
const MAX_REREAD_BYTES = 4 * 1024 * 1024;

type EndingRun = StatedRun &
  StoringRun & {
    deps: { access: JetStreamAccess; log: { warn(fields: object, message: string): void } };
    dispatch(action: RunAction): void;
    transcript: RunTranscript;
  };

/** `unsaved`: memories with a deferred save. */
type FinishedRun = { finish: ChunkOf<'finish'>; unsaved?: readonly string[] };

/** @throws FencedError, bus-unreachable */
export async function restateRun(run: EndingRun, ending: FinishedRun): Promise<void> {
  if (run.getState().restated) return;
  const final = readFinal(run, ending);
  if (run.agent.release === 'result') return restateBuffered(run, final);
  const restated = findRestated(run.getState(), final);
  if (restated) await restatePublished(run, restated, ending);
}

const messagesSchema = z.array(messageSchema).catch([]);

function readFinal({ ref: { runId } }: EndingRun, { finish }: FinishedRun): FinalAnswer {
  const { messages, output } = finish.payload;
  const text = typeof output['text'] === 'string' ? output['text'] : '';
  return { runId, messages: messagesSchema.parse(messages), text };
}

/** No chunk is published yet: no client has read another text. */
function restateBuffered(run: EndingRun, final: FinalAnswer): void {
  const from = run.transcript.locate('run');
  const was = run.transcript.listBuffered(from);
  const added = listAdded(run.getState(), final).flatMap((message) => makeMessageChunks(final.runId, message));
  const isSame = joinText(was) + joinText(added) === final.text;
  if (isSame) run.transcript.append(added);
  else run.transcript.replace(from, restateSteps(final.runId, was, restateAll(run.getState(), final)));
}

async function restatePublished(
  run: EndingRun,
  restated: RestatedAnswer,
  { finish, unsaved = [] }: FinishedRun,
): Promise<void> {
  const { runId } = run.ref;
  run.transcript.release();
  const from = restated.from ?? run.transcript.getNextPlace();
  const isPublished = run.transcript.isPublished(from);
  const was = isPublished ? await readPublished(run, from) : [];
  const endHold = run.transcript.hold();
  if (isPublished) run.transcript.append([makeChunk(runId, { type: 'retract', payload: { index: from } })]);
  run.transcript.append(restateSteps(runId, withLastObject(run, was), restated));
  run.dispatch({ action: 'answer-restated', finish, unsaved: [...unsaved] });
  await storeBeforeRetract(run, from);
  endHold();
}

/** Omits earlier objects: a changed text has another object or none. */
function withLastObject(run: EndingRun, chunks: readonly Chunk[]): Chunk[] {
  const isObject = ({ type }: Chunk) => type === 'object-result';
  const last = run.getState().open?.answer?.object === undefined ? undefined : chunks.findLast(isObject);
  return chunks.filter((one) => !isObject(one) || one === last);
}

/** Reads the counting chunks from the index on. Returns none if the log cannot return all of them. */
async function readPublished(run: EndingRun, index: number): Promise<Chunk[]> {
  const { tenant, runId } = run.ref;
  const { access, log } = run.deps;
  try {
    await run.transcript.flush();
    const head = (await readHead(access, tenant, runId))?.value;
    if (!head) return [];
    const chunks: Chunk[] = [];
    let from = { epoch: head.owners.findLast((owner) => owner.index <= index)?.epoch ?? 1, index };
    for (let bytes = 0; bytes <= MAX_REREAD_BYTES;) {
      const page = await readVisible(access, head, from);
      for (const batch of page.batches) {
        chunks.push(...z.array(storedChunkSchema).parse(batch.chunks));
        bytes += Buffer.byteLength(JSON.stringify(batch.chunks));
      }
      if (page.complete || page.batches.length === 0) return chunks.filter(({ type }) => type !== 'retract');
      from = page.end;
    }
    return [];
  } catch (error) {
    if (MillraceError.isInstance(error) && error.code === 'bus-unreachable') throw error;
    log.warn({ runId, ...toLoggedError(error) }, 'chunks around a changed answer lost: the log could not be read');
    return [];
  }
}
