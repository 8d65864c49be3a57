// Streams a step: passes the model's chunks through the output stream's processors to the client. Handles verdicts, the
// cancellation of the model call, publication and the return of states. Only chunks that passed the output chain are
// published or stored.
import { createOpenParts, toWireError, type Chunk, type StageInput } from '@millrace/contracts';
import { toBrokenEnding, failInOwnWords, type Interrupt } from '../state/interrupt.ts';
import { buildResponseMessageId } from '../transcript/response-message.ts';
import { stopOutcome } from '../calls/stop-outcome.ts';
import type { Run } from '../state/run-context.ts';
import { holdsProviderContent, readAnswerTrust } from '../state/run-labels.ts';
import { isGivenAway } from '../state/run-stop.ts';
import { isTooLarge, type AnswerBuilder } from './answer-builder.ts';
import { createPassedAnswer } from './passed-answer.ts';
import type { ModelAnswered, ModelEnd, ModelFailure } from './model-stream.ts';
import { endsByItself } from './part-ends.ts';
import { raceAbort } from '../streams/unless-stopped.ts';
import { openOutputChain, type ChainEnd, type OutputChain } from '../sessions/output-chain.ts';
import { applyFold } from '../sessions/guard-chunks.ts';

/** Source of the step's chunks: the model or a cached answer. */
export type StepChunkSource = (signal: AbortSignal, take: (chunks: Chunk[]) => Promise<void>) => Promise<ModelEnd>;

export type StepStream =
  | ({ kind: 'answer'; last?: LastOut; rawText?: string | undefined; stored?: string | undefined } & StreamedStep)
  | ({ kind: 'model-error' } & ModelFailure)
  | { kind: 'interrupt'; interrupt: Interrupt };

/** A model's answer as it passed. */
export type StreamedStep = { builder: AnswerBuilder } & ModelAnswered;

/** Output for the last chunks, or the interrupt of a processor that stopped at them. */
export type LastOut = { chunks: readonly Chunk[] } | { interrupt: Interrupt };

/**
 * Returns the chunks that pass the step's processors after the answer: none if another stage judges the answer first.
 */
export type LastChunks = (rawText: StreamedStep) => readonly Chunk[];

/** After a cancel, chunks that processors have passed have this time to arrive, ms. */
const FLUSH_MS = 500;

/**
 * `isObject`: the text is the JSON of an object, which is streamed in partial objects. `keepsRawText`: the model's raw
 * text is needed.
 */
type StreamInput = {
  makeFirst: () => Chunk;
  source: StepChunkSource;
  lastChunks?: LastChunks | undefined;
  isObject?: boolean;
  keepsRawText?: boolean;
};

/**
 * @param streamed `first` is made with the first chunks of the source and sent with them; `lastChunks` follow all
 * others
 */
export async function streamStep(run: Run, input: StageInput, streamed: StreamInput): Promise<StepStream> {
  const from = run.transcript.getNextPlace();
  const stream = await passStream(run, input, streamed);
  // Buffered chunks of an answer that was cut off are never released.
  if (stream.kind === 'interrupt') run.transcript.discard(from);
  return stream;
}

async function passStream(run: Run, input: StageInput, streamed: StreamInput): Promise<StepStream> {
  const { makeFirst, source, lastChunks, isObject = false, keepsRawText = false } = streamed;
  const answer = createPassedAnswer(run, buildResponseMessageId(run.ref.runId, input.stepNumber), isObject);
  const parts = createOpenParts();
  const rawText = keepsRawText ? createRawText() : undefined;
  const abort = createStepAbort(run);
  const started = performance.now();
  const push = (chain: OutputChain, chunks: readonly Chunk[]) =>
    abort.attempt(() => {
      parts.observe(chunks);
      rawText?.observe(chunks);
      recordProviderContent(run, chunks);
      chain.push(chunks);
    });
  // The model call starts while sessions are opened and the run is saved; its first text waits for both.
  const output = (chunks: readonly Chunk[]) => abort.attempt(() => answer.add(chunks));
  const { retractAfter: retract, listPassed } = answer;
  const opening = openOutputChain(run, input, { output, retract, listPassed });
  const saving = run.awaitCheckpoint().then(abort.stopBy, abort.failToSave);
  const begun = Promise.all([opening, saving]).then(([chain]) => {
    void chain.stopped.then(abort.abort);
  }, abort.breakOff);
  /** A group that judges the input concurrently ends the answer together with the run. */
  const unlisten = run.overlap.onStop(abort.stopBy);
  /** Sent with the model's first chunks: alone it would add a round trip through all sessions. */
  let frame: (() => Chunk)[] = [makeFirst];
  const take = async (chunks: Chunk[]) => {
    await begun;
    const chain = await opening;
    if (abort.signal.aborted) return;
    push(chain, [...frame.map((make) => make()), ...chunks]);
    frame = [];
    await chain.awaitRoom();
  };
  try {
    const end = await raceAbort(source(abort.signal, take), abort.signal);
    await begun;
    const broken = abort.interrupt();
    if (broken) await requestAllVerdicts(run, opening, started);
    if (broken) return { kind: 'interrupt', interrupt: broken };
    const chain = await opening;
    const whole = end && 'finishReason' in end ? end : undefined;
    push(chain, [
      ...frame.map((make) => make()),
      ...parts.ends(whole !== undefined && endsByItself(whole.finishReason)),
    ]);
    const makeLast =
      whole && lastChunks && (() => abort.attempt(() => lastChunks({ builder: answer.getBuilder(), ...whole })) ?? []);
    const ending = chain.end(makeLast);
    const fold = (await raceAbort(ending, run.signal)) ?? (await endInTime(run, chain, ending));
    if (fold) applyFold(run, fold, performance.now() - started, readAnswerTrust(run.getState()));
    if (fold) addStreamChanges(run, answer.getBuilder(), fold);
    if (run.signal.aborted) return interruptFromOutside(run, answer.buildReleased());
    const late = abort.interrupt();
    if (late) return { kind: 'interrupt', interrupt: late };
    const interrupt = fold?.stopped && stopOutcome(run, 'processOutputStream', fold.stopped);
    if (interrupt && !fold?.last) return { kind: 'interrupt', interrupt };
    if (!end) return interruptFromOutside(run, answer.buildReleased());
    if ('error' in end) return { kind: 'model-error', ...end };
    const last = fold?.last && (interrupt ? { interrupt } : { chunks: fold.last });
    return {
      kind: 'answer',
      builder: answer.getBuilder(),
      ...end,
      ...(last && { last }),
      ...(rawText && { rawText: rawText.readText() }),
      stored: fold?.stored,
    };
  } finally {
    unlisten();
    // Closes the sessions: a session that is left open would be kept alive for ever.
    void opening.then((chain) => chain.drop()).catch(() => undefined);
  }
}

function addStreamChanges(run: Run, builder: AnswerBuilder, { outcomes, stopped, texts = [] }: ChainEnd): void {
  const messageId = builder.buildMessage().id;
  const streamed = { messageId, texts, outcomes, isStopped: stopped !== undefined };
  run.changes?.addStream(run.getState().steps.length, streamed);
}

/** A processor of the stream may drop the content, but the model has read it. */
function recordProviderContent(run: Run, chunks: readonly Chunk[]): void {
  if (!holdsProviderContent(chunks) || run.getState().taint.origins.includes('provider')) return;
  run.dispatch({ action: 'taint-found', entries: [], origins: ['provider'] });
}

/** Aborts the model call of a step at the first interrupt, and keeps that interrupt. */
function createStepAbort(run: Run) {
  const controller = new AbortController();
  let interrupt: Interrupt | undefined;
  let unsaved: { error: unknown } | undefined;
  const abort = () => controller.abort();
  const stopBy = (first: Interrupt | undefined) => {
    if (!first) return;
    interrupt ??= first;
    abort();
  };
  const breakOff = (error: unknown) =>
    stopBy(isTooLarge(error) ? failInOwnWords(toWireError(error)) : toBrokenEnding(error));
  return {
    signal: AbortSignal.any([run.signal, controller.signal]),
    abort,
    stopBy,
    breakOff,
    failToSave(error: unknown): void {
      unsaved = { error };
      abort();
    },
    /** Breaks the step off if the work throws. */
    attempt<T>(work: () => T): T | undefined {
      try {
        return work();
      } catch (error) {
        breakOff(error);
        return undefined;
      }
    },
    /** @throws the error of the checkpoint, if the run was not saved */
    interrupt(): Interrupt | undefined {
      if (unsaved) throw unsaved.error;
      return interrupt;
    },
  };
}

/**
 * A stopped run takes the verdicts that its processors have reached, and the states of the others; a run that continues
 * elsewhere takes nothing.
 */
async function endInTime(run: Run, chain: OutputChain, ending: Promise<ChainEnd>): Promise<ChainEnd | undefined> {
  if (isGivenAway(run.signal)) return undefined;
  return (await raceAbort(ending, AbortSignal.timeout(FLUSH_MS))) ?? chain.requestVerdicts();
}

/** The answer was interrupted elsewhere: states and findings of the processors are kept. */
async function requestAllVerdicts(run: Run, opening: Promise<OutputChain>, started: number): Promise<void> {
  const chain = await opening.catch(() => undefined);
  if (chain && !isGivenAway(run.signal))
    applyFold(run, await chain.requestVerdicts(), performance.now() - started, readAnswerTrust(run.getState()));
}

/** Keeps the passed text. Undecided text of processors is dropped: its parts were ended as cut off. */
function interruptFromOutside(run: Run, builder: AnswerBuilder): StepStream {
  const interrupt =
    run.checkInterruption() ?? failInOwnWords({ code: 'internal', message: 'The run was stopped without a reason.' });
  const message = builder.buildMessage();
  if (message.content.parts.length > 0 && !isGivenAway(run.signal)) {
    run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  }
  return { kind: 'interrupt', interrupt };
}

// Keeps the raw text of a model's answer, before any processor has judged it. It is never sent: it only shows whether an object was valid before processors changed it.
/** Maximum length of an answer, in UTF-16 code units. */
const MAX_CHARS = 1024 * 1024;

type RawText = {
  observe(chunks: readonly Chunk[]): void;
  /** Returns undefined if the text was too long. */
  readText(): string | undefined;
};

function createRawText(): RawText {
  let text: string | undefined = '';
  return {
    observe(chunks) {
      for (const chunk of chunks) if (text !== undefined && chunk.type === 'text-delta') text += chunk.payload.text;
      if (text !== undefined && text.length > MAX_CHARS) text = undefined;
    },
    readText: () => text,
  };
}
