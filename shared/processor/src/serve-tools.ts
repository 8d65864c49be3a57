// Serves tools: a subject for each, shared by queue group between replicas. Whatever a tool does, its call is answered: with a
// result, or with a coded error that the model is told. Its service hands the endpoints to serveProcessors() or to
// advertiseService(), so that one process can have tools, processors and api verbs.
import { listen, serve, type Bus, type Endpoint, type ServeContext, type Serving } from '@millrace/bus';
import {
  MillraceError,
  cancelCallSchema,
  toWireError,
  toolRequestSchema,
  type JsonValue,
  type ToolReply,
  type ToolRequest,
  type WireError,
} from '@millrace/contracts';
import type { Resources } from '@millrace/service';
import { createCallRegistry, type CallRegistry } from './call-registry.ts';
import { createRequestContext } from './request-context.ts';
import { createStreamWriter } from './stream-writer.ts';
import { describeTool, type Tool } from './tool-definition.ts';

export type ServeToolsOptions = {
  bus: Bus;
  resources: Resources;
  tools: readonly Tool[];
  /** Only these, by name (TOOLS). Absent: all. */
  only?: readonly string[] | undefined;
  /** How long calls under way are waited for when the service stops, ms. */
  drainGraceMs: number;
};

/** @throws tool-unknown when `only` names what is not there */
export function serveTools(options: ServeToolsOptions): Endpoint[] {
  const { bus, resources, drainGraceMs } = options;
  const calls = createCallRegistry();
  const endpoints = selected(options).map((tool) => endpoint({ bus, calls }, tool));
  const cancels = listen(bus, bus.subjects.cancelCalls(bus.name), cancelCallSchema, ({ callIds }) =>
    calls.cancel(callIds),
  );
  resources.add('tools', async () => {
    await Promise.all(endpoints.map(({ serving }) => serving.drain(drainGraceMs)));
    cancels.stop();
  });
  return endpoints;
}

function selected({ tools, only }: ServeToolsOptions): readonly Tool[] {
  const unknown = only?.filter((name) => !tools.some((tool) => tool.name === name)) ?? [];
  if (unknown.length > 0) {
    throw new MillraceError('tool-unknown', `TOOLS names what this service does not have: ${unknown.join(', ')}.`, {
      path: 'TOOLS',
      remedy: `Choose from ${tools.map((tool) => tool.name).join(', ')}.`,
    });
  }
  return tools.filter((tool) => only === undefined || only.includes(tool.name));
}

type Host = { bus: Bus; calls: CallRegistry };

function endpoint(host: Host, tool: Tool): Endpoint {
  const { name } = tool;
  const subject = host.bus.subjects.tool(name);
  const serving: Serving = serve(host.bus, {
    subject,
    queue: name,
    request: toolRequestSchema,
    handle: (request, context) => answerCall(host, tool, request, context, serving.stats),
  });
  return { name: `tool-${name}`, queue: name, serving, metadata: { kind: 'tool', tool: describeTool(tool, subject) } };
}

async function answerCall(
  { bus, calls }: Host,
  tool: Tool,
  request: ToolRequest,
  { respond }: ServeContext,
  stats: Serving['stats'],
): Promise<ToolReply> {
  const { signal, close } = calls.open(request.callId, Math.min(request.timeoutMs, defaultTimeoutOf(tool, request)));
  let n = 0;
  const outcome = await execute(tool, request, signal, (progress) => {
    respond({ n, progress: [progress] });
    // Only what has left is counted: a number that is missing ends the call at the other side.
    n += 1;
  });
  await close();
  if ('error' in outcome) {
    const { code, path } = outcome.error;
    stats.errors += 1;
    stats.lastError = code;
    // The message may quote what the user said.
    bus.log.warn({ run: request.run.runId, tool: tool.name, code, path }, 'a tool call failed');
  }
  return { n, ...outcome, replica: bus.id };
}
