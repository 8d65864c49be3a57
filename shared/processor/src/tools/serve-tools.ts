// Serves tools: a subject for each, shared by replicas through a queue group. Every call is answered: with a result, or
// with a coded error for the model. Returns the endpoints for discovery: processor-service.ts advertises those of a
// whole service.
import {
  createStallGate,
  listen,
  serve,
  type Bus,
  type MicroEndpoint,
  type ServeContext,
  type Serving,
  type StallGate,
} from '@millrace/bus';
import {
  MillraceError,
  WIRE_PROTOCOL,
  cancelCallSchema,
  findSuspensionProblem,
  nameText,
  readWithText,
  toWireError,
  toolRequestSchema,
  type JsonValue,
  type ToolReply,
  type ToolRequest,
  type WireError,
} from '@millrace/contracts';
import type { Resources } from '@millrace/service';
import { createCallRegistry, waitOutStall, type CallRegistry } from '../serve/call-registry.ts';
import { refuseDuplicates } from '../serve/refuse-duplicates.ts';
import { createRequestContext } from '../processor/request-context.ts';
import { createStreamWriter } from '../stream/stream-writer.ts';
import { asJson } from '../verdict/bounded.ts';
import { StopError, readStopVerdict } from '../processor/stop.ts';
import { createStopRecorder, chooseStop } from '../verdict/stop-recorder.ts';
import { locateThrown } from '../verdict/thrown-error.ts';
import { JsonText, describeTool, type Tool, type ToolOutput } from './tool-definition.ts';

export type ServeToolsOptions = {
  bus: Bus;
  resources: Resources;
  tools: readonly Tool[];
  /** Serves only these, by name (TOOLS). Default: all. */
  only?: readonly string[] | undefined;
  /** Time to wait for calls under way when the service stops, ms. */
  drainGraceMs: number;
  /** Maximum number of concurrent calls. */
  maxCalls?: number | undefined;
};

/** @throws processor-invalid for two tools of one name; tool-unknown for an unknown name in `only` */
export function serveTools(options: ServeToolsOptions): MicroEndpoint[] {
  const { bus, resources, drainGraceMs, maxCalls } = options;
  const calls = createCallRegistry(maxCalls, bus.id);
  const gate = createStallGate(bus);
  const endpoints = selectTools(options).map((tool) => buildEndpoint({ bus, calls, gate }, tool));
  const cancels = listen(bus, bus.subjects.cancelCalls(bus.name), cancelCallSchema, ({ callIds }) =>
    calls.cancel(callIds),
  );
  resources.add('tools', async (remainingMs) => {
    await Promise.all(endpoints.map(({ serving }) => serving.drain(Math.min(drainGraceMs, remainingMs()))));
    cancels.stop();
    gate.stop();
  });
  return endpoints;
}

function selectTools({ tools, only }: ServeToolsOptions): readonly Tool[] {
  const unknown = only?.filter((name) => !tools.some((tool) => tool.name === name)) ?? [];
  if (unknown.length > 0) {
    throw new MillraceError('tool-unknown', `TOOLS contains unknown names: ${unknown.join(', ')}.`, {
      path: 'TOOLS',
      remedy: `Choose from ${tools.map((tool) => tool.name).join(', ')}.`,
    });
  }
  refuseDuplicates(
    'tool',
    tools.map(({ name }) => name),
  );
  return tools.filter((tool) => only === undefined || only.includes(tool.name));
}

type ToolHost = { bus: Bus; calls: CallRegistry; gate: StallGate };
type SuspendedCall = { payload: JsonValue; expiresInSeconds?: number };
type ServedToolOutcome =
  | { result: JsonValue; resultText?: string }
  | { suspended: SuspendedCall }
  | { error: WireError };

function buildEndpoint(host: ToolHost, tool: Tool): MicroEndpoint {
  const { bus, calls, gate } = host;
  const definition = describeTool(tool, bus.subjects.tool(bus.name, tool.name));
  const { name, subject, timeoutMs } = definition;
  const endpointPath = `tool-${name}`;
  const serving: Serving = serve(bus, {
    subject,
    queue: name,
    request: toolRequestSchema,
    handle: async (request, context): Promise<ToolReply> => {
      const { signal, close } = calls.open(
        request.callId,
        Math.min(request.timeoutMs, timeoutMs),
        request.run,
        endpointPath,
      );
      try {
        const stall = waitOutStall(gate, { signal });
        if (stall) await stall;
        const { outcome, sequence, thrown } = await execute(tool, request, signal, context);
        if ('error' in outcome) report({ bus, stats: serving.stats }, name, request, { ...outcome, thrown });
        return { sequence, ...outcome, replica: bus.id };
      } finally {
        close();
      }
    },
  });
  const readLoad = () => ({ calls: calls.countDepth(endpointPath), maxCalls: calls.maxCalls });
  return {
    name: endpointPath,
    queue: name,
    data: readLoad,
    serving,
    metadata: { kind: 'tool', protocol: WIRE_PROTOCOL, tool: definition },
  };
}

/** Never throws. `sequence`: number of sent progress messages. */
async function execute(
  tool: Tool,
  { run, toolCall, requestContext, idempotencyKey, resumeData }: ToolRequest,
  abortSignal: AbortSignal,
  { respond }: ServeContext,
): Promise<{ outcome: ServedToolOutcome; sequence: number; thrown?: unknown }> {
  let sequence = 0;
  let writeError: unknown;
  const write = (chunk: object) => {
    respond({ sequence, progress: [chunk] });
    // Counts only sent messages: a missing number ends the call at the caller.
    sequence += 1;
  };
  const writer = createStreamWriter(run, write, (error) => void (writeError ??= error));
  const { suspend, readStop } = createStopRecorder();
  try {
    const result = await tool.execute(toolCall.args, {
      run,
      toolCallId: toolCall.toolCallId,
      argsText: toolCall.argsText ?? JSON.stringify(toolCall.args),
      writer,
      abortSignal,
      idempotencyKey,
      requestContext: createRequestContext(requestContext, run),
      suspend,
      ...(resumeData !== undefined && { resumeData }),
    });
    if (writeError !== undefined) throw writeError;
    const stop = readStop();
    if (stop) throw stop;
    return { outcome: readOutput(result), sequence };
  } catch (thrown) {
    const error = chooseStop(thrown, readStop());
    return { outcome: toThrownOutcome(error), sequence, thrown: error };
  }
}

function readOutput(output: ToolOutput): ServedToolOutcome {
  if (!(output instanceof JsonText)) return { result: output };
  const { value, text } = readWithText(output.text);
  return { result: value, ...nameText('result', text) };
}

/** @param error thrown by the tool: a suspension, or its failure */
function toThrownOutcome(error: unknown): ServedToolOutcome {
  try {
    const verdict = StopError.isInstance(error) ? readStopVerdict(error) : undefined;
    if (verdict?.type !== 'suspend') return { error: toWireError(error, 'tool-failed') };
    const { expiresInSeconds } = verdict;
    const payload = asJson(verdict.payload);
    const message = findSuspensionProblem(payload, expiresInSeconds);
    if (message !== undefined) return { error: { code: 'tool-failed', message } };
    return { suspended: { payload, ...(expiresInSeconds !== undefined && { expiresInSeconds }) } };
  } catch (cause) {
    return { error: toWireError(cause, 'tool-failed') };
  }
}

/** Neither the log nor discovery contains the message: it may quote the user. */
function report(
  { bus, stats }: { bus: Bus; stats: Serving['stats'] },
  tool: string,
  { run, callId }: ToolRequest,
  { error: { code, path }, thrown }: { error: WireError; thrown: unknown },
): void {
  stats.errors += 1;
  stats.lastError = path === undefined ? code : `${code} at ${path}`;
  bus.log.warn({ run: run.runId, tool, callId, code, path, ...locateThrown(thrown) }, 'tool call failed');
}
