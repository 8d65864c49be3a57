// Reads a run as a response: whole, or as a stream whose headers wait for the first content.
import { fromWireError } from '@millrace/contracts';
import { subtractUsage } from '../../agents/client-calls.ts';
import { formatEvent } from '../../http/event-stream.ts';
import { waitForAbort } from '@millrace/bus';
import { ContentBlocked, describeOpenAiError } from '../openai-error.ts';
import type { ResponseIdentity, StartedResponse } from './response-identity.ts';
import { startResponse, type ResponseState } from './response-changes.ts';
import { reduceResponse } from './response-state.ts';
import { OPENING, describeEnding, describeResponse, writeEvents } from './response-wire.ts';

type ResponseFrame = { text: string; state: ResponseState };
export type ResponseFrames = AsyncGenerator<ResponseFrame, void>;

type ReadRun = Pick<StartedResponse, 'run' | 'client' | 'before'> & { identity: ResponseIdentity };

/** Clients require the usage of every completed response; a run that is suspended or blocked has none in its last chunk. */
async function addUsage(state: ResponseState, { client, before = {} }: ReadRun): Promise<ResponseState> {
  if (state.status !== 'completed') return state;
  const usage = state.usage ?? (await client.runs.get(state.runId)).result?.usage ?? {};
  return { ...state, usage: subtractUsage(usage, before) };
}

/** @param after number of the last event that the client has; -1: none */
export async function* readResponseFrames(started: ReadRun, after = -1): ResponseFrames {
  const { run, identity } = started;
  let state = startResponse(run.runId, identity.itemBase);
  const response = describeResponse(state, identity);
  const opening = ['response.created', 'response.in_progress'].map((type) => ({ type, response }));
  yield { text: writeEvents(opening, OPENING, after), state };
  for await (const batch of run.batches) {
    let text = '';
    for (const positioned of batch) {
      const reduced = reduceResponse(state, positioned);
      state = reduced.state.status === 'completed' ? await addUsage(reduced.state, started) : reduced.state;
      const ending = describeEnding(state, identity);
      const events = ending ? [...reduced.events, ending] : reduced.events;
      text += writeEvents(events, positioned, after);
      if (ending) break;
    }
    yield { text, state };
    if (state.status !== 'in_progress') return;
  }
}

/** Reads to the end. */
export async function readResponse(started: ReadRun): Promise<ResponseState> {
  const { run, identity } = started;
  let state = startResponse(run.runId, identity.itemBase);
  for await (const batch of run.batches)
    for (const positioned of batch) state = reduceResponse(state, positioned).state;
  return addUsage(state, started);
}

/** The run has shown something, apart from the refusal of a block. */
const hasContent = ({ items }: ResponseState): boolean => items.some(({ kind }) => kind !== 'refusal');

/** @throws ContentBlocked, and the error of a run that failed, if nothing was shown before */
export function throwEarlyEnd(state: ResponseState): void {
  if (hasContent(state)) return;
  if (state.blocked) throw new ContentBlocked(state.blocked.reason, state.blocked.processor);
  if (state.error) throw fromWireError(state.error);
}

/** Waits for the first content, or the end of the run, at most `waitMs`. @throws as throwEarlyEnd */
export async function holdResponse(frames: ResponseFrames, waitMs: number): Promise<AsyncGenerator<string, void>> {
  const late = AbortSignal.timeout(waitMs);
  let held = '';
  for (;;) {
    const next = frames.next();
    const read = await Promise.race([next, waitForAbort(late)]);
    if (!read || read.done) return writeFrames(held, frames, next);
    const { text, state } = read.value;
    throwEarlyEnd(state);
    held += text;
    if (hasContent(state) || state.status !== 'in_progress') return writeFrames(held, frames);
  }
}

/** A stored response is streamed from its first event, without waiting for content. */
export const writeTexts = (frames: ResponseFrames): AsyncGenerator<string, void> => writeFrames('', frames);

/** @param first the frame that is being read. A read of the frames starts when its text is needed: the answer may end before. */
async function* writeFrames(
  held: string,
  frames: ResponseFrames,
  first?: ReturnType<ResponseFrames['next']>,
): AsyncGenerator<string, void> {
  try {
    if (held !== '') yield held;
    for (let read = await (first ?? frames.next()); !read.done; read = await frames.next())
      if (read.value.text) yield read.value.text;
  } catch (error) {
    const { error: described } = describeOpenAiError(error);
    const { code, message, param } = described;
    yield formatEvent(JSON.stringify({ type: 'error', code, message, param }), { event: 'error' });
  }
}
