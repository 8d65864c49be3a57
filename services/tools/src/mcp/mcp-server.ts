// Keeps the connection to an MCP server: connects again with growing delays, and compares the definitions of its tools
// with the accepted ones. A server that is away makes its own calls fail, and nothing else.
import { setTimeout as delay } from 'node:timers/promises';
import { ProtocolError, type CallToolResult, type Client, type Transport } from '@modelcontextprotocol/client';
import { MillraceError, toShownText, type PartProblem } from '@millrace/contracts';
import { compareTools } from './compare-tools.ts';
import { keepArguments } from './kept-content.ts';
import { connectClient, listLiveTools } from './mcp-client.ts';
import { buildToolName, type PinnedTool } from './mcp-file.ts';

export type McpServer = {
  /**
   * @param argsText JSON text of an object, which the server receives as it is
   * @throws tool-failed if the server is away, fails, or has another definition of the tool; the reason of the signal
   */
  call(tool: string, argsText: string, options: { signal: AbortSignal; timeoutMs: number }): Promise<CallToolResult>;
  /** Returns why the server, or a tool of it, is not available. */
  listProblems(): PartProblem[];
  close(): Promise<void>;
};
type ServerLog = Record<'info' | 'warn' | 'error', (fields: object, message: string) => void>;
export type McpServerParts = {
  name: string;
  tools: Readonly<Record<string, PinnedTool>>;
  open: () => Promise<Transport>;
  log: ServerLog;
  /** Interval of the comparisons, ms. */
  checkMs?: number;
};

const CHECK_MS = 60_000;
const FIRST_WAIT_MS = 500;
const MAX_WAIT_MS = 30_000;
const CLOSE_MS = 3_000;
const STOP_MS = 5_000;
const STOPPED = 'it is stopped';

type Connection = {
  client: Client | undefined;
  /** Why there is no client. */
  problem: string;
  refused: ReadonlyMap<string, string>;
  /** Starts a comparison at once. */
  wake: () => void;
};

/** Connects in the background. */
export function openMcpServer(parts: McpServerParts): McpServer {
  const { name, tools, log } = parts;
  const stopping = new AbortController();
  const state: Connection = { client: undefined, problem: '', refused: new Map(), wake: () => undefined };
  const run = async () => {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      const onConnected = () => (failures = 0);
      state.problem = await connectOnce(parts, state, { signal: stopping.signal, onConnected }).catch(describeReason);
      if (stopping.signal.aborted) return;
      log.warn({ server: name, problem: state.problem }, 'an MCP server is not connected; connecting again');
      await delay(computeWaitMs(failures), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    listProblems: () =>
      state.client
        ? [...state.refused].map(([tool, problem]) => ({ name: buildToolName(name, tool, tools[tool]?.as), problem }))
        : [{ name: `MCP server ${name}`, problem: `is not connected: ${state.problem || 'it connects'}` }],
    call: (tool, argsText, options) => callTool(name, state, { tool, argsText, ...options }),
    async close() {
      stopping.abort();
      // An attempt to connect is not aborted: the processes that it has started would remain.
      await Promise.race([running, delay(STOP_MS, undefined, { ref: false })]);
    },
  };
}

type Attempt = { signal: AbortSignal; onConnected: () => void };

/** Resolves when the connection is lost, with the reason. */
async function connectOnce(
  parts: McpServerParts,
  state: Connection,
  { signal, onConnected }: Attempt,
): Promise<string> {
  const { name, tools, open, log, checkMs = CHECK_MS } = parts;
  const transport = await open();
  const client = await connectClient(transport).catch(async (error: unknown) => {
    // The process of a failed connection would remain.
    await closeWithin(transport);
    throw error;
  });
  const lost = Promise.withResolvers<string>();
  const compare = async () => {
    const { refused, notAccepted } = compareTools(await listLiveTools(client), tools);
    for (const [tool, problem] of refused)
      if (state.refused.get(tool) !== problem)
        log.warn({ server: name, tool, problem }, 'a tool of MCP is not available');
    state.refused = refused;
    return notAccepted;
  };
  const onAbort = () => lost.resolve(STOPPED);
  signal.addEventListener('abort', onAbort);
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the client is no event target
  client.onclose = () => lost.resolve('the server has ended the connection');
  client.setNotificationHandler('notifications/tools/list_changed', () => state.wake());
  try {
    log.info({ server: name, notAccepted: await compare() }, 'an MCP server is connected');
    state.client = client;
    onConnected();
    while (!signal.aborted) {
      const reason = await Promise.race([lost.promise, waitToCompare(state, checkMs)]);
      if (typeof reason === 'string') return reason;
      await compare();
    }
    return STOPPED;
  } finally {
    state.client = undefined;
    signal.removeEventListener('abort', onAbort);
    await closeWithin(client);
  }
}

function waitToCompare(state: Connection, checkMs: number): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, checkMs).unref();
  state.wake = () => {
    clearTimeout(timer);
    resolve();
  };
  return promise;
}

/** A process that ignores its end is killed by the transport; the wait is bounded nevertheless. */
const closeWithin = (open: { close(): Promise<void> }): Promise<void> =>
  Promise.race([open.close().catch(() => undefined), delay(CLOSE_MS, undefined, { ref: false })]);

type McpToolCall = { tool: string; argsText: string; signal: AbortSignal; timeoutMs: number };

async function callTool(server: string, state: Connection, { tool, argsText, signal, timeoutMs }: McpToolCall) {
  const { client, refused } = state;
  if (!client) throw createAwayError(server);
  const changed = refused.get(tool);
  if (changed !== undefined) throw createChangedError(server, tool, changed);
  try {
    return await client.callTool({ name: tool, arguments: keepArguments(argsText) }, { signal, timeout: timeoutMs });
  } catch (error) {
    signal.throwIfAborted();
    // A comparison finds out whether the server is still there.
    if (!(error instanceof ProtocolError)) state.wake();
    throw createCallError(server, tool, error);
  }
}

function computeWaitMs(failures: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** Math.min(failures, 16), MAX_WAIT_MS);
  return wait / 2 + (Math.random() * wait) / 2;
}

/** For the log. The words of a server reach a model only as a result, which guards judge. */
const describeReason = (error: unknown): string => toShownText(error instanceof Error ? error.message : String(error));

const createAwayError = (server: string): MillraceError =>
  new MillraceError('tool-failed', `The MCP server ${server} is not connected.`, {
    remedy: 'Call the tool later. The log of the service tools has the reason.',
  });

const createChangedError = (server: string, tool: string, problem: string): MillraceError =>
  new MillraceError('tool-failed', `The tool ${tool} of the MCP server ${server} is not available: ${problem}.`, {
    remedy: 'An operator has to accept the definition: npm run -s mcp -- FILE --accept.',
  });

function createCallError(server: string, tool: string, cause: unknown): MillraceError {
  const code = cause instanceof ProtocolError ? ` (code ${cause.code})` : '';
  return new MillraceError('tool-failed', `The MCP server ${server} did not execute ${tool}${code}.`, { cause });
}
