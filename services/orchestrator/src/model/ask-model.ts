// Asks the models of a step for its answer: the candidates of the agent in their order (choose-attempt.ts), then again if processAPIError
// requests it. Published text of a failed attempt is retracted.
import type { Chunk, StageInput, StructuredOutput, ToolDefinition, Usage } from '@millrace/contracts';
import { passesChain, toWireError } from '@millrace/contracts';
import { classifyFailure, suggestRemedy } from '@millrace/models';
import { setTimeout as delay } from 'node:timers/promises';
import { fail, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { readMaxRetries } from '../calls/stop-outcome.ts';
import { makeChunk } from '../transcript/make-chunk.ts';
import { isGivenAway } from '../state/run-stop.ts';
import { listCallIds } from './call-ids.ts';
import { createCallMeter } from './call-meter.ts';
import type { Gathering } from './gather-parts.ts';
import { createAttempts, type FailedAttempts } from './model-attempts.ts';
import type { StepModelCall } from './step-call.ts';
import { streamModel, type ModelEnd } from './model-stream.ts';
import { escapeToolNames, type ModelCallOptions } from './prompt.ts';
import { keepSealed } from './reasoning-seal.ts';
import { buildResponseMessageId } from '../transcript/response-message.ts';
import { reportCutOff } from './report-cut-off.ts';
import { markUnknownTool } from './unknown-tools.ts';
import { findUnpriced, reserveCall, type SettleCall } from './reserve-call.ts';
import { streamStep, type StepChunkSource, type LastChunks, type StepStream } from './step-stream.ts';

export type ModelAnswer = Extract<StepStream, { kind: 'answer' }>;
/** `call`: that of the model that answered. `again`: processAPIError changed the messages or the model; the prompt is rebuilt. */
export type ModelOutcome = { answered: ModelAnswer; call: StepModelCall } | { interrupt: Interrupt } | { again: true };

/** Pause before the state of a circuit is read again that another call has changed, ms. */
const ENTER_AGAIN_MS = 50;

/** @param makeLastChunks returns the chunks that pass the step's processors after the answer of a call */
export async function askModel(
  run: Run,
  request: StepModelCall,
  input: StageInput,
  makeLastChunks: (call: StepModelCall) => LastChunks | undefined = () => undefined,
): Promise<ModelOutcome> {
  // The model is not asked if the input has been stopped by now.
  const stopped = run.overlap.isDecided() ? await run.overlap.awaitVerdict() : undefined;
  if (stopped) return { interrupt: stopped };
  const attempts = createAttempts(run, request);
  for (;;) {
    const next = attempts.chooseNext();
    if ('failed' in next) return handleModelError(run, request, input, next.failed);
    const { call, waitMs } = next;
    if (waitMs > 0) await delay(waitMs, undefined, { signal: run.signal }).catch(() => undefined);
    const interrupt = waitMs > 0 ? run.checkInterruption() : undefined;
    if (interrupt) return { interrupt };
    const refused = call.cached ? undefined : findUnpriced(run, call);
    if (refused) return { interrupt: fail(refused) };
    if (!(await attempts.enter())) {
      await delay(ENTER_AGAIN_MS);
      continue;
    }
    const reserved = await reserveCall(run, call);
    if ('interrupt' in reserved) {
      attempts.leave(false);
      return reserved;
    }
    const from = run.transcript.getNextPlace();
    const stream = await streamOnce(run, call, input, { lastChunks: makeLastChunks(call), settle: reserved.settle });
    if (stream.kind !== 'model-error') attempts.leave(stream.kind === 'answer');
    if (stream.kind === 'answer') return { answered: stream, call };
    if (stream.kind === 'interrupt') return stream;
    // The model is not asked again before the input has passed.
    const late = await run.overlap.awaitVerdict();
    if (late) return { interrupt: late };
    // Retracts the model's text only: stages that do not run again do not write their chunks again.
    const given = await attempts.recordFailure(stream, from);
    run.transcript.withdraw(from, { code: stream.code ?? 'model-call-failed' });
    if (given) return { interrupt: given };
  }
}

/** If the answer is released at once, partial objects would only repeat the final one. */
function showsObject({ agent: { release } }: Run, { structuredOutput }: StepModelCall): boolean {
  return structuredOutput !== undefined && release !== 'step' && release !== 'result';
}

async function streamOnce(
  run: Run,
  call: StepModelCall,
  input: StageInput,
  { lastChunks, settle }: { lastChunks: LastChunks | undefined; settle: SettleCall },
): Promise<StepStream> {
  const { runId } = run.ref;
  const started = performance.now();
  let warnings: unknown[] = [];
  const messageId = buildResponseMessageId(runId, input.stepNumber);
  const buildPayload = () => ({ messageId, ...(warnings.length > 0 && { warnings }) });
  const makeStepStart = () => makeChunk(runId, { type: 'step-start', payload: buildPayload() });
  const shown = { isObject: showsObject(run, call), keepsRawText: call.structuredOutput !== undefined };
  const known = new Set([...call.tools, ...run.plan.tools].map(({ name }) => name));
  const markTools = (chunks: readonly Chunk[]) => chunks.map((chunk) => markUnknownTool(chunk, known));
  if (call.cached)
    return streamStep(run, input, {
      makeFirst: makeStepStart,
      lastChunks,
      source: replayFromCache(run, call.cached, markTools),
      ...shown,
    });
  run.dispatch({ action: 'model-called' });
  const count = run.getState().modelCalls;
  const meter = createCallMeter(run, call);
  const readSource: StepChunkSource = async (signal, take) => {
    const activity = run.activity.begin({ kind: 'model', names: [call.model] });
    const takeAnswer = (chunks: Chunk[]) => {
      activity.receive();
      meter.countChunks(chunks);
      return take(markTools(chunks));
    };
    try {
      const keepWarnings = (some: unknown[]) => void (warnings = some);
      const options = callOptions(run, call, `${runId}.${count}`);
      const gathering = planGathering(run, options);
      const model = run.deps.models.createLanguageModel(call.model, { joinsDeltas: gathering.joins });
      const streamOptions = {
        raw: run.agent.raw,
        callIds: listCallIds(run.getState()),
        modelId: call.model,
        gathering,
        onWarnings: keepWarnings,
        onUsage: meter.recordUsage,
        limits: call.limits,
      };
      const end = await streamModel(model, options, runId, signal, takeAnswer, streamOptions);
      if (!('error' in end)) return meter.recordEnd(end);
      if (!signal.aborted) meter.recordFailure(end);
      return end;
    } catch (error) {
      const failure = { error: { name: 'Error', message: toWireError(error).message, isRetryable: false } };
      meter.recordFailure(failure);
      return failure;
    } finally {
      activity.end();
    }
  };
  const streaming = streamStep(run, input, { makeFirst: makeStepStart, lastChunks, source: readSource, ...shown });
  const stream = await streaming.finally(() => settle(meter.readCost()));
  // The next owner of the run repeats an abandoned call under the same number.
  const isCut = stream.kind !== 'answer' && !isGivenAway(run.signal);
  const usage = stream.kind === 'answer' ? stream.usage : isCut ? meter.takeUsage() : undefined;
  run.events.record({
    event: 'model',
    step: input.stepNumber,
    model: call.model,
    call: count,
    ms: performance.now() - started,
    finishReason: stream.kind === 'answer' ? stream.finishReason : stream.kind,
    fromCache: false,
    ...(usage && { usage }),
    ...(stream.kind === 'model-error' && {
      error: { code: stream.code ?? 'model-call-failed', message: stream.error.message },
      cause: classifyFailure(stream.error, stream.code),
    }),
  });
  return (isCut && usage && (await checkCosts(run, call, input, stream, usage))) || stream;
}

/** Entries that count costs may stop a run that would otherwise continue. */
async function checkCosts(
  run: Run,
  { model }: StepModelCall,
  input: StageInput,
  stream: StepStream,
  usage: Usage,
): Promise<StepStream | undefined> {
  const interrupt = await reportCutOff(run, input, { model, usage });
  const continues =
    stream.kind === 'model-error' || (stream.kind === 'interrupt' && stream.interrupt.form === 'rewind');
  return interrupt && continues ? { kind: 'interrupt', interrupt } : undefined;
}

/**
 * Pieces stay as the provider sent them for agents that disable joining, that forward raw events, or that request log
 * probabilities of each piece.
 */
function planGathering({ agent, deps }: Run, { providerOptions = {} }: ModelCallOptions): Gathering {
  const asksLogprobs = Object.values(providerOptions).some(({ logprobs, topLogprobs }) => logprobs || topLogprobs);
  const joins = agent.raw !== true && agent.flushMs !== 0 && !asksLogprobs;
  return { joins, ...(joins && { tick: deps.tick, everyMs: agent.flushMs }) };
}

function callOptions({ agent }: Run, call: StepModelCall, requestId: string): ModelCallOptions {
  const { model, prompt, tools, toolChoice, modelSettings, providerOptions, structuredOutput } = call;
  const options = {
    ...modelSettings,
    prompt: escapeToolNames(keepSealed(prompt, model)),
    ...(tools.length > 0 && { tools: tools.map(buildFunctionTool) }),
    ...(tools.length > 0 &&
      toolChoice && { toolChoice: typeof toolChoice === 'string' ? { type: toolChoice } : toolChoice }),
    ...(structuredOutput && { responseFormat: makeResponseFormat(structuredOutput) }),
    ...(providerOptions && { providerOptions }),
    ...(agent.raw && { includeRawChunks: true }),
    headers: { 'X-Client-Request-Id': requestId },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the provider's own prompt, or what processLLMRequest made of it
  return options as unknown as ModelCallOptions;
}

/** A provider's strict mode refuses a schema of any object: it receives the request for JSON alone. */
function makeResponseFormat({ schema, ...named }: StructuredOutput) {
  const { type, additionalProperties, ...more } = schema;
  const isAny = type === 'object' && additionalProperties === true && Object.keys(more).length === 0;
  return { type: 'json' as const, ...(!isAny && { schema }), ...named };
}

function buildFunctionTool({ name, description, inputSchema, strict }: ToolDefinition) {
  return { type: 'function' as const, name, description, inputSchema, ...(strict !== undefined && { strict }) };
}

/** A cache may store a whole step with its frame; the frame of this step is created here. */
const FRAME: readonly string[] = ['step-start', 'step-finish', 'finish', 'error', 'object-result'];
const isAnswer = (cached: Chunk, raw = false): boolean =>
  passesChain(cached) && !FRAME.includes(cached.type) && (raw || cached.type !== 'raw');

function replayFromCache({ ref: { runId }, agent }: Run, chunks: Chunk[], mark: (chunks: Chunk[]) => Chunk[]) {
  return async (_signal: AbortSignal, take: (chunks: Chunk[]) => Promise<void>): Promise<ModelEnd> => {
    const answer = chunks.filter((cached) => isAnswer(cached, agent.raw));
    await take(mark(answer.map((cached) => ({ ...cached, runId, from: 'AGENT' as const }))));
    const finishReason = chunks.some((cached) => cached.type === 'tool-call') ? 'tool-calls' : 'stop';
    return { finishReason, usage: {}, warnings: [] };
  };
}

/** `input.retryCount` also counts the retries that processAPIError requested. */
async function handleModelError(
  run: Run,
  { model }: StepModelCall,
  input: StageInput,
  { failure, message }: FailedAttempts,
): Promise<ModelOutcome> {
  const { error, code = 'model-call-failed' } = failure;
  const { conversation, steps } = run.getState();
  const result = await runStage(run, 'processAPIError', { ...input, conversation, steps, model, error });
  if (result.interrupt) return { interrupt: result.interrupt };
  const verdict = result.stopped?.verdict;
  if (verdict?.type === 'retry' && input.retryCount < readMaxRetries(run)) {
    run.dispatch({ action: 'error-retried', ...(verdict.model !== undefined && { model: verdict.model }) });
    return { again: true };
  }
  const remedy = suggestRemedy(error);
  return { interrupt: fail({ code, message, ...(remedy !== undefined && { remedy }) }) };
}
