// Asks the model for a step's answer, as often as it takes: tried again where the provider says that it may be, then where
// processAPIError says so. A try that had published something is retracted.
import type {
  Chunk,
  ModelSettings,
  Prompt,
  StageInput,
  StructuredOutput,
  ToolChoice,
  ToolDefinition,
  Usage,
} from '@millrace/contracts';
import { passesChain, toWireError, unpriced } from '@millrace/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { fail, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { maxRetries } from '../stages/stop-outcome.ts';
import { chunk } from '../state/make-chunk.ts';
import { isGivenAway } from '../state/run-stop.ts';
import { createCallMeter } from './call-meter.ts';
import { escapeToolNames } from './escape-tool-names.ts';
import type { Gathering } from './gather-parts.ts';
import { streamModel, type ModelEnd, type ModelFailure } from './model-stream.ts';
import type { CallOptions } from './prompt.ts';
import { responseMessageId } from '../state/response-message.ts';
import { retract } from '../state/retract.ts';
import { tellCutOff } from './tell-cut-off.ts';
import { streamStep, type ChunkSource, type LastChunks, type StepStream } from './step-stream.ts';

/** What is asked: as processInputStep and processLLMRequest left it. */
export type ModelCall = {
  model: string;
  prompt: Prompt;
  tools: ToolDefinition[];
  toolChoice?: ToolChoice | undefined;
  modelSettings: ModelSettings;
  providerOptions: StageInput['providerOptions'];
  structuredOutput?: StructuredOutput | undefined;
  /** Chunks of an earlier answer instead of a call. */
  cached?: Chunk[] | undefined;
};

export type Answered = Extract<StepStream, { kind: 'answer' }>;
/** `again`: processAPIError changed the messages or the model; the prompt is to be made anew. */
export type ModelOutcome = { answered: Answered } | { interrupt: Interrupt } | { again: true };

/** More tries for 429, 5xx and network errors, before processAPIError decides. */
const EXTRA_TRIES = 2;
const BACKOFF_MS = 500;
const MAX_RETRY_AFTER_MS = 60_000;

/** @param lastChunks what goes through the step's processors behind the answer */
export async function askModel(
  run: Run,
  call: ModelCall,
  input: StageInput,
  lastChunks?: LastChunks,
): Promise<ModelOutcome> {
  const refused = call.cached ? undefined : unpriced(run.agent, run.plan, call.model);
  if (refused) return { interrupt: fail(refused) };
  // Nobody is asked for an input that has been stopped by now.
  const stopped = run.overlap.isDecided() ? await run.overlap.settled() : undefined;
  if (stopped) return { interrupt: stopped };
  for (let tries = 0; ; tries++) {
    const from = run.chunks.nextIndex();
    const stream = await streamOnce(run, call, input, lastChunks);
    if (stream.kind === 'answer') return { answered: stream };
    if (stream.kind === 'interrupt') return stream;
    // Nobody is asked again for an input that may not pass.
    const late = await run.overlap.settled();
    if (late) return { interrupt: late };
    // What the model said, and nothing before it: stages that do not run again do not write their chunks again.
    retract(run, from);
    const waitMs = tries < EXTRA_TRIES ? waitBeforeRetry(run, stream, tries) : undefined;
    if (waitMs === undefined) return onModelError(run, call, input, stream);
    await delay(waitMs, undefined, { signal: run.signal }).catch(() => undefined);
    const interrupt = run.interruption();
    if (interrupt) return { interrupt };
  }
}

/** Where the answer comes out at once, the partial ones would say what the last one says. */
function showsObject({ agent: { release } }: Run, { structuredOutput }: ModelCall): boolean {
  return structuredOutput !== undefined && release !== 'step' && release !== 'result';
}

/** Milliseconds. undefined: not to be tried again, or not before the run's deadline has passed. */
function waitBeforeRetry(run: Run, { error, retryAfterMs }: ModelFailure, tries: number): number | undefined {
  if (!error.isRetryable) return undefined;
  const waitMs = Math.min(retryAfterMs ?? BACKOFF_MS * 2 ** tries, MAX_RETRY_AFTER_MS);
  return waitMs < run.deadlineAt - performance.now() ? waitMs : undefined;
}

async function streamOnce(run: Run, call: ModelCall, input: StageInput, lastChunks?: LastChunks): Promise<StepStream> {
  const { runId } = run.ref;
  const started = performance.now();
  let warnings: unknown[] = [];
  const messageId = responseMessageId(runId, input.stepNumber);
  const payload = () => ({ messageId, ...(warnings.length > 0 && { warnings }) });
  const first = () => chunk(runId, { type: 'step-start', payload: payload() });
  const shown = { isObject: showsObject(run, call), keepsSaid: call.structuredOutput !== undefined };
  if (call.cached) return streamStep(run, input, { first, lastChunks, source: fromCache(run, call.cached), ...shown });
  run.dispatch({ action: 'model-called' });
  const count = run.state().modelCalls;
  const meter = createCallMeter(run, call);
  const source: ChunkSource = async (signal, take) => {
    const activity = run.activity.begin({ kind: 'model', names: [call.model] });
    const takeSaid = (chunks: Chunk[]) => {
      activity.heard();
      meter.said(chunks);
      return take(chunks);
    };
    try {
      const warned = (some: unknown[]) => void (warnings = some);
      const options = callOptions(run, call, `${runId}.${count}`);
      const gathering = planGathering(run, options);
      const model = run.deps.models.languageModel(call.model, { joinsDeltas: gathering.joins });
      const told = { raw: run.agent.raw, gathering, warned, used: meter.told };
      const end = await streamModel(model, options, runId, signal, takeSaid, told);
      if (!('error' in end)) return meter.ended(end);
      if (!signal.aborted) meter.failed(end);
      return end;
    } catch (error) {
      const failure = { error: { name: 'Error', message: toWireError(error).message, isRetryable: false } };
      meter.failed(failure);
      return failure;
    } finally {
      activity.end();
    }
  };
  const stream = await streamStep(run, input, { first, lastChunks, source, ...shown });
  // What was given away is asked for again by whoever has the run then, under the same number.
  const isCut = stream.kind !== 'answer' && !isGivenAway(run.signal);
  const usage = stream.kind === 'answer' ? stream.usage : isCut ? meter.taken() : undefined;
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
    }),
  });
  return (isCut && usage && (await stoppedByCosts(run, call, input, stream, usage))) || stream;
}

/** Whoever counts costs may stop a run that would go on. */
async function stoppedByCosts(
  run: Run,
  { model }: ModelCall,
  input: StageInput,
  stream: StepStream,
  usage: Usage,
): Promise<StepStream | undefined> {
  const interrupt = await tellCutOff(run, input, { model, usage });
  const goesOn = stream.kind === 'model-error' || (stream.kind === 'interrupt' && stream.interrupt.kind === 'rewind');
  return interrupt && goesOn ? { kind: 'interrupt', interrupt } : undefined;
}

/** Pieces stay as the provider sent them for agents that say so, that pass on its events, or that ask for log probabilities of each piece. */
function planGathering({ agent, deps }: Run, { providerOptions = {} }: CallOptions): Gathering {
  const asksLogprobs = Object.values(providerOptions).some(({ logprobs, topLogprobs }) => logprobs || topLogprobs);
  const joins = agent.raw !== true && agent.flushMs !== 0 && !asksLogprobs;
  return { joins, ...(joins && { tick: deps.tick, everyMs: agent.flushMs }) };
}

function callOptions({ agent }: Run, call: ModelCall, requestId: string): CallOptions {
  const { prompt, tools, toolChoice, modelSettings, providerOptions, structuredOutput } = call;
  const options = {
    ...modelSettings,
    prompt: escapeToolNames(prompt),
    ...(tools.length > 0 && { tools: tools.map(functionTool) }),
    ...(tools.length > 0 &&
      toolChoice && { toolChoice: typeof toolChoice === 'string' ? { type: toolChoice } : toolChoice }),
    ...(structuredOutput && { responseFormat: { type: 'json' as const, ...structuredOutput } }),
    ...(providerOptions && { providerOptions }),
    ...(agent.raw && { includeRawChunks: true }),
    headers: { 'X-Client-Request-Id': requestId },
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the provider's own prompt, or what processLLMRequest made of it
  return options as unknown as CallOptions;
}

function functionTool({ name, description, inputSchema }: ToolDefinition) {
  return { type: 'function' as const, name, description, inputSchema };
}

/** A cache that keeps a whole step keeps its frame too; that of this step is made here. */
const FRAME: readonly string[] = ['step-start', 'step-finish', 'finish', 'error', 'object-result'];
const isAnswer = (cached: Chunk, raw = false): boolean =>
  passesChain(cached) && !FRAME.includes(cached.type) && (raw || cached.type !== 'raw');

function fromCache({ ref: { runId }, agent }: Run, chunks: Chunk[]) {
  return async (_signal: AbortSignal, take: (chunks: Chunk[]) => Promise<void>): Promise<ModelEnd> => {
    await take(
      chunks
        .filter((cached) => isAnswer(cached, agent.raw))
        .map((cached) => ({ ...cached, runId, from: 'AGENT' as const })),
    );
    const finishReason = chunks.some((cached) => cached.type === 'tool-call') ? 'tool-calls' : 'stop';
    return { finishReason, usage: {}, warnings: [] };
  };
}

/** `input.retryCount` counts the tries that processAPIError has asked for too. */
async function onModelError(
  run: Run,
  call: ModelCall,
  input: StageInput,
  failure: ModelFailure,
): Promise<ModelOutcome> {
  const { error, code = 'model-call-failed' } = failure;
  const { conversation, steps } = run.state();
  const asked = { ...input, conversation, steps, model: call.model, error };
  const result = await runStage(run, 'processAPIError', asked);
  if (result.interrupt) return { interrupt: result.interrupt };
  if (result.answer?.type === 'retry' && input.retryCount < maxRetries(run)) {
    const { model } = result.answer;
    run.dispatch({ action: 'error-retried', ...(model !== undefined && { model }) });
    return { again: true };
  }
  const status = error.statusCode === undefined ? '' : ` (${error.statusCode})`;
  return { interrupt: fail({ code, message: `${call.model}: ${error.message}${status}` }) };
}
