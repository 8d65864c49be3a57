// The stream of a step: the model's chunks through the output stream's processors to the client. Verdict, the model's
// cancellation, publishing and the return of state meet here. Only what the output chain let through is published or kept.
import { createOpenParts, toWireError, type Chunk, type StageInput } from '@millrace/contracts';
import { brokenBy, endWith, failInOwnWords, type Interrupt } from '../state/interrupt.ts';
import { responseMessageId } from '../state/response-message.ts';
import { isTransient } from '../state/chunk-publisher.ts';
import { retract } from '../state/retract.ts';
import { stopOutcome } from '../stages/stop-outcome.ts';
import type { Run } from '../state/run-context.ts';
import { isGivenAway } from '../state/run-stop.ts';
import { createAnswerBuilder, isTooLarge, type AnswerBuilder } from './answer-builder.ts';
import type { ModelAnswered, ModelEnd, ModelFailure } from './model-stream.ts';
import { endsByItself } from './part-ends.ts';
import { unlessStopped } from '../state/unless-stopped.ts';
import { createObjectPartials, NO_OBJECTS } from './object-partials.ts';
import { createSaidText } from './said-text.ts';
import { openOutputChain, type ChainEnd, type OutputChain } from '../stages/output-chain.ts';
import { applyFold } from '../stages/guard-chunks.ts';

/** Where the step's chunks come from: the model, or an earlier answer. */
export type ChunkSource = (signal: AbortSignal, take: (chunks: Chunk[]) => Promise<void>) => Promise<ModelEnd>;

export type StepStream =
  | ({ kind: 'answer'; last?: LastOut; said?: string | undefined } & Said)
  | ({ kind: 'model-error' } & ModelFailure)
  | { kind: 'interrupt'; interrupt: Interrupt };

/** What a model has said, as it was let through. */
export type Said = { builder: AnswerBuilder } & ModelAnswered;

/** What came out of the last chunks; or why nothing did: a processor stopped at them. */
export type LastOut = { chunks: readonly Chunk[] } | { interrupt: Interrupt };

/** What goes through the step's processors behind its answer: none where something else is to judge that first. */
export type LastChunks = (said: Said) => readonly Chunk[];

/** After a cancel, what processors have let through has this long to come out, ms. */
const FLUSH_MS = 500;

/** `isObject`: its text is the JSON of an object, which is shown while it is written. `keepsSaid`: the model's own words are needed. */
type Streamed = {
  first: () => Chunk;
  source: ChunkSource;
  lastChunks?: LastChunks | undefined;
  isObject?: boolean;
  keepsSaid?: boolean;
};

/** @param streamed `first` is made when the first chunks of the source are there and goes with them, `lastChunks` behind them all */
export async function streamStep(run: Run, input: StageInput, streamed: Streamed): Promise<StepStream> {
  const from = run.chunks.nextIndex();
  const stream = await passStream(run, input, streamed);
  // What waits for its release of an answer that was cut off never comes out.
  if (stream.kind === 'interrupt') run.chunks.drop(from);
  return stream;
}

async function passStream(run: Run, input: StageInput, streamed: Streamed): Promise<StepStream> {
  const { first, source, lastChunks, isObject = false, keepsSaid = false } = streamed;
  const messageId = responseMessageId(run.ref.runId, input.stepNumber);
  let builder = createAnswerBuilder(messageId);
  /** Where each chunk that was let through stands in the run. */
  const places: number[] = [];
  let objects = isObject ? createObjectPartials(run.ref.runId) : NO_OBJECTS;
  const parts = createOpenParts();
  const said = keepsSaid ? createSaidText() : undefined;
  const giveUp = new AbortController();
  const signal = AbortSignal.any([run.signal, giveUp.signal]);
  const started = performance.now();
  let broken: Interrupt | undefined;
  let unsaved: { error: unknown } | undefined;
  const breakOff = (error: unknown) => {
    broken ??= isTooLarge(error) ? failInOwnWords(toWireError(error)) : endWith(brokenBy(error));
    giveUp.abort();
  };
  const stopBy = (outcome: Interrupt | undefined) => {
    if (!outcome) return;
    broken ??= outcome;
    giveUp.abort();
  };
  const output = (chunks: readonly Chunk[]) => {
    try {
      let next = run.chunks.nextIndex();
      for (const chunk of chunks) {
        builder.add(chunk);
        places.push(next);
        if (!isTransient(chunk)) next += 1;
      }
      run.chunks.publish(chunks);
      const partials = objects.after(chunks);
      // While nobody sees anything, the partial ones would say what the last one says.
      if (!isHeld(run)) run.chunks.publish(partials);
    } catch (error) {
      breakOff(error);
    }
  };
  /** What of it is out. */
  const released = () => {
    const shown = createAnswerBuilder(messageId);
    for (const [at, whole] of builder.chunks().entries()) {
      const part = run.chunks.shown(places[at] ?? 0, whole);
      if (part) shown.add(part);
    }
    return shown;
  };
  /** Sessions were moved, and what comes out now differs from there on. */
  const takeBack = (count: number) => {
    const from = places[count];
    if (from === undefined) return;
    const kept = builder.chunks().slice(0, count);
    builder = createAnswerBuilder(messageId);
    for (const chunk of kept) builder.add(chunk);
    places.length = count;
    retract(run, from);
    if (isObject) objects = createObjectPartials(run.ref.runId);
    // What is left was shown: the next one says what is new.
    objects.after(kept);
  };
  const push = (chain: OutputChain, chunks: readonly Chunk[]) => {
    try {
      parts.see(chunks);
      said?.see(chunks);
      chain.push(chunks);
    } catch (error) {
      breakOff(error);
    }
  };
  const lastOf = (end: ModelAnswered, make: LastChunks) => {
    try {
      return make({ builder, ...end });
    } catch (error) {
      breakOff(error);
      return [];
    }
  };
  // The model is asked while the sessions are opened and the run is saved; what it says first waits for both.
  const opening = openOutputChain(run, input, { output, retract: takeBack });
  const saving = run.saved().then(stopBy, (error: unknown) => {
    unsaved = { error };
    giveUp.abort();
  });
  const begun = Promise.all([opening, saving]).then(([chain]) => {
    void chain.stopped.then(() => giveUp.abort());
  }, breakOff);
  /** A group that judges the input meanwhile ends the answer with the run. */
  const unlisten = run.overlap.onStop(stopBy);
  /** Goes with the model's first chunks: on its own it would cost a way through all sessions before them. */
  let frame: (() => Chunk)[] = [first];
  const take = async (chunks: Chunk[]) => {
    await begun;
    const chain = await opening;
    if (signal.aborted) return;
    push(chain, [...frame.map((make) => make()), ...chunks]);
    frame = [];
    await chain.room();
  };
  try {
    const end = await unlessStopped(source(signal, take), signal);
    await begun;
    if (unsaved) throw unsaved.error;
    if (broken) await tellAll(run, opening, started);
    if (broken) return { kind: 'interrupt', interrupt: broken };
    const chain = await opening;
    const isWhole = end !== undefined && 'finishReason' in end && endsByItself(end.finishReason);
    push(chain, [...frame.map((make) => make()), ...parts.ends(isWhole)]);
    const ending = lastChunks && end && 'finishReason' in end ? chain.end(() => lastOf(end, lastChunks)) : chain.end();
    const fold = (await unlessStopped(ending, run.signal)) ?? (await inTime(run, chain, ending));
    if (fold) applyFold(run, fold, performance.now() - started);
    if (run.signal.aborted) return stoppedFromOutside(run, released());
    if (broken) return { kind: 'interrupt', interrupt: broken };
    const interrupt = fold?.stopped && stopOutcome(run, 'processOutputStream', fold.stopped);
    if (interrupt && !fold?.last) return { kind: 'interrupt', interrupt };
    if (!end) return stoppedFromOutside(run, released());
    if ('error' in end) return { kind: 'model-error', ...end };
    const last = fold?.last && (interrupt ? { interrupt } : { chunks: fold.last });
    return { kind: 'answer', builder, ...end, ...(last && { last }), ...(said && { said: said.text() }) };
  } finally {
    unlisten();
    // A session that is over does not mind; one that is not would be kept alive for ever.
    void opening.then((chain) => chain.drop()).catch(() => undefined);
  }
}

/** Until the group that judges beside the model has let it pass. */
const isHeld = ({ overlap }: Run): boolean => overlap.isPending() && !overlap.isDecided();

/** A run that was stopped takes what its processors have decided by now, and what the others keep; one that goes on elsewhere takes nothing. */
async function inTime(run: Run, chain: OutputChain, ending: Promise<ChainEnd>): Promise<ChainEnd | undefined> {
  if (isGivenAway(run.signal)) return undefined;
  return (await unlessStopped(ending, AbortSignal.timeout(FLUSH_MS))) ?? chain.tell();
}

/** The answer broke off elsewhere: what the processors keep and have found is not lost with it. */
async function tellAll(run: Run, opening: Promise<OutputChain>, started: number): Promise<void> {
  const chain = await opening.catch(() => undefined);
  if (chain && !isGivenAway(run.signal)) applyFold(run, await chain.tell(), performance.now() - started);
}

/** What was let through so far is kept. What processors held back undecided is dropped: its parts were ended as cut off. */
function stoppedFromOutside(run: Run, builder: AnswerBuilder): StepStream {
  const interrupt =
    run.interruption() ?? failInOwnWords({ code: 'internal', message: 'The run was stopped for no reason.' });
  const message = builder.message();
  if (message.content.parts.length > 0 && !isGivenAway(run.signal)) {
    run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  }
  return { kind: 'interrupt', interrupt };
}
