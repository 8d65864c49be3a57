// Calls the model once and streams its chunks. Every failure, at the start or in mid-stream, is one value: {error}. A
// model that sends nothing for too long is an error too, but not while its chunks wait for room.
import { MillraceError, type Chunk, type ErrorCode, type ModelError, type Usage } from '@millrace/contracts';
import { CUT_OFF, RESPONSE_BODY_MAX_CHARS, hideKeys, readCallCode, toModelError } from '@millrace/models';
import { gatherParts, type Gathering } from './gather-parts.ts';
import { createChunkMaker, readUsage } from './model-parts.ts';
import { createPartEnds } from './part-ends.ts';
import type { LanguageModel, ModelCallOptions, ModelPart } from './prompt.ts';
import { readProviderMetadata, type ProviderMetadata } from './provider-values.ts';
import { watchSilence, type SilenceLimits, type SilenceWatch } from './watch-silence.ts';
import { raceAbort } from '../streams/unless-stopped.ts';

export type ModelEnd = ModelAnswered | ModelFailure;
export type ModelAnswered = {
  finishReason: string;
  usage: Usage;
  warnings: unknown[];
  /** From the request to the end; absent for a cached answer. */
  latencyMs?: number;
  providerMetadata?: ProviderMetadata;
} & ProviderCall;
/**
 * Details of a call that the provider's client returns in addition to the stream: for processors only, never for a
 * client.
 */
type ProviderCall = { request?: unknown; rawResponse?: unknown };
/** `code`: model-call-failed if absent. */
export type ModelFailure = { error: ModelError; code?: ErrorCode; retryAfterMs?: number };

export type ModelReports = {
  /** Adds the provider's events as chunks of type raw. */
  raw?: boolean | undefined;
  /** Ids of the calls of earlier answers. */
  callIds?: ReadonlySet<string>;
  /** Name of the model in the seals of its reasoning. */
  modelId?: string;
  gathering?: Gathering;
  /** Default: LAST_LIMITS. */
  limits?: SilenceLimits | undefined;
  /** Called at the stream's start, before its first chunk. */
  onWarnings?: (warnings: unknown[]) => void;
  /** Called when the provider reports the usage, even if the call has been abandoned. */
  onUsage?: (usage: Usage) => void;
};

/**
 * Passes chunks to `take` as they arrive; if `take` returns a promise, the model is read on after it resolves. A call
 * that `signal` abandoned ends as an error that no caller reads.
 */
export async function streamModel(
  model: LanguageModel,
  options: ModelCallOptions,
  runId: string,
  signal: AbortSignal,
  take: (chunks: Chunk[]) => Promise<void> | void,
  reports: ModelReports = {},
): Promise<ModelEnd> {
  const { raw = false, callIds, modelId, gathering = { joins: !raw }, onWarnings: warned, onUsage: used } = reports;
  const started = performance.now();
  const silence = watchSilence(reports.limits);
  const failure = new AbortController();
  const abortSignal = AbortSignal.any([signal, silence.signal, failure.signal]);
  const toChunks = createChunkMaker(runId, raw, callIds, modelId);
  const withEnds = createPartEnds();
  let end: ModelEnd = { error: brokenOff };
  let warnings: unknown[] = [];
  let provider: ProviderCall = {};
  try {
    const answer = await raceAbort(Promise.resolve(model.doStream({ ...options, abortSignal })), abortSignal);
    provider = { request: answer?.request?.body, rawResponse: answer?.response };
    const batches = answer ? gatherParts(answer.stream, abortSignal, gathering) : [];
    for await (const parts of batches) {
      silence.pause();
      const chunks: Chunk[] = [];
      let failed: { error: unknown } | undefined;
      for (const part of parts) {
        silence.observe(part.type);
        if (part.type === 'error') failed ??= part;
        if (failed) continue;
        if (part.type === 'stream-start') warned?.((warnings = part.warnings));
        if (part.type === 'finish') {
          const usage = readUsage(part);
          const latencyMs = Math.round((performance.now() - started) * 10) / 10;
          used?.(usage);
          if (isBrokenOff(part)) continue;
          const { unified } = part.finishReason;
          end = { finishReason: unified, usage, warnings, latencyMs, ...readProviderMetadata(part), ...provider };
        }
        chunks.push(...withEnds(part, toChunks(part)));
      }
      if (chunks.length > 0) await take(chunks);
      if (failed) throw failed.error;
      if (signal.aborted) break;
      silence.start();
    }
  } catch (error) {
    end = { error: describeModelError(error), code: readCallCode(error), ...retryAfter(error) };
    // The provider's client reads on after an error at the stream's start.
    failure.abort();
  } finally {
    silence.end();
  }
  return silence.signal.aborted ? { error: createSilenceError(silence), code: 'model-idle' } : end;
}

const brokenOff: ModelError = {
  name: CUT_OFF,
  message: 'The stream of the provider ended without a finish reason: the answer may be incomplete.',
  isRetryable: true,
};

/** Clients of providers report a body that ended early (HTML, only `[DONE]`, a cut at an event's end) as this finish. */
const isBrokenOff = (part: Extract<ModelPart, { type: 'finish' }>): boolean =>
  part.finishReason.unified === 'interrupted' && part.finishReason.raw === undefined;

const createSilenceError = ({ describe }: SilenceWatch): ModelError => ({
  name: 'Error',
  message: describe(),
  isRetryable: true,
});

/** Reads the error of a provider in mid-stream, which often is a plain object {message, type, code}. */
function describeModelError(error: unknown): ModelError {
  if (error instanceof Error || typeof error !== 'object' || error === null) return withNetwork(error);
  const inner = 'error' in error && typeof error.error === 'object' && error.error !== null ? error.error : error;
  const message = hideKeys('message' in inner ? String(inner.message) : JSON.stringify(error));
  const status = 'code' in inner ? Number(inner.code) : Number.NaN;
  const statusCode = Number.isInteger(status) && status >= 400 && status < 600 ? status : undefined;
  const overloaded = 'type' in inner && (inner.type === 'server_error' || inner.type === 'rate_limit_exceeded');
  const isRetryable = overloaded || (statusCode !== undefined && (statusCode === 429 || statusCode >= 500));
  // The cause of the failure is in the provider's code and type.
  const responseBody = hideKeys(JSON.stringify({ error: inner })).slice(0, RESPONSE_BODY_MAX_CHARS);
  return { name: 'Error', message, isRetryable, responseBody, ...(statusCode !== undefined && { statusCode }) };
}

/** Marks a broken connection as retryable; errors of the provider and of the orchestrator define that themselves. */
function withNetwork(error: unknown): ModelError {
  const known = toModelError(error);
  if (MillraceError.isInstance(error)) return known;
  const network =
    error instanceof TypeError || (error instanceof Error && 'code' in error && typeof error.code === 'string');
  return known.statusCode === undefined && network ? { ...known, isRetryable: true } : known;
}

function retryAfter(error: unknown): { retryAfterMs?: number } {
  if (typeof error !== 'object' || error === null || !('responseHeaders' in error)) return {};
  const headers: unknown = error.responseHeaders;
  const value =
    typeof headers === 'object' && headers !== null && 'retry-after' in headers ? String(headers['retry-after']) : '';
  const seconds = Number(value);
  if (value !== '' && Number.isFinite(seconds)) return { retryAfterMs: Math.max(seconds * 1_000, 0) };
  const at = Date.parse(value);
  return Number.isNaN(at) ? {} : { retryAfterMs: Math.max(at - Date.now(), 0) };
}
