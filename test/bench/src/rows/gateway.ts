// Cost of HTTP: the same runs, read through the gateway and by the client library, with the same text and the same
// number of deltas.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { Agent, request, type IncomingMessage } from 'node:http';
import { resolve } from 'node:path';
import type { BenchContext, Measure } from '../bench-context.ts';
import { needServices } from '../bench-context.ts';
import { DELTAS, manyRuns, median, MODEL, makeScript, prose } from '../load.ts';
import { cpuMs, round, row, runProgram } from '../measure.ts';

const AT_ONCE = 16;
const RUNS = 128;
const EVERY_MS = 5;
/** Runs of bursts: few long ones, so that the submission of a run has no share in the cost of its chunks. */
const BURSTS = { runs: 32, deltas: 1_000, burst: 8 };
const LATENCIES = 300;
/** Runs before the measured ones, of each side. */
const WARM = 200;
const IDLE_STREAMS = 1_000;
const AGENT = 'bench-http';
/** Its provider events are published unchanged: no two pieces are joined, also if one read holds them. */
const RAW_AGENT = 'bench-http-raw';

const connections = new Agent({ keepAlive: true });

export type Gateway = { url: string; key: string; pid: number };

/** Starts the gateway unless it runs. */
export async function openGateway(context: BenchContext): Promise<Gateway> {
  const { stack } = context;
  await needServices(context, 'orchestrator', 'auth');
  if (!stack.pids().some(({ service }) => service === 'gateway'))
    await stack.start('gateway', {
      LOG_LEVEL: 'info',
      GATEWAY_PORT: '0',
      MAX_STREAMS_PER_KEY: String(2 * IDLE_STREAMS),
      REQUESTS_PER_MINUTE: '1000000',
    });
  const url = /"url":"(http[^"]+)"/.exec(await stack.log('gateway'))?.[1];
  const pid = stack.pids().find(({ service }) => service === 'gateway')?.pid;
  if (url === undefined || pid === undefined) throw new Error('the gateway did not start');
  const { key } = await stack.client.keys.create({ subject: 'bench', scopes: ['run', 'read'] });
  await stack.client.agents.apply({ name: AGENT, model: MODEL, flushMs: 0 });
  await stack.client.agents.apply({ name: RAW_AGENT, model: MODEL, raw: true });
  return { url, key, pid };
}

type Read = { chunks: number; deltas: number; text: string; firstMs: number };

/** Starts a run over HTTP, and reads its chunks to the end. */
async function readRun({ url, key }: Gateway, input: string, agent = AGENT, deltas = DELTAS): Promise<Read> {
  const begun = performance.now();
  const sent = request(`${url}/v1/agents/${agent}/runs`, {
    method: 'POST',
    agent: connections,
    headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
  });
  sent.end(JSON.stringify({ input }));
  const [response]: IncomingMessage[] = await once(sent, 'response');
  const read: Read = { chunks: 0, deltas: 0, text: '', firstMs: 0 };
  let rest = '';
  for await (const part of response?.setEncoding('utf8') ?? []) {
    const events = (rest + part).split('\n\n');
    rest = events.pop() ?? '';
    for (const event of events) {
      read.chunks += 1;
      const data = event.slice(event.indexOf('data: ') + 'data: '.length);
      if (!data.includes('"type":"text-delta"')) continue;
      if (read.deltas === 0) read.firstMs = performance.now() - begun;
      read.deltas += 1;
      read.text += JSON.parse(data).payload.text;
    }
  }
  if (read.text !== prose(deltas)) throw new Error(`the gateway gave another text: ${read.text}`);
  if (read.deltas !== deltas) throw new Error(`the gateway gave ${read.deltas} deltas`);
  return read;
}

/** Makes the calls of `work` for all runs, 16 at once. Returns the sum of their chunks. */
async function sumRuns(total: number, work: () => Promise<number>): Promise<number> {
  let left = total;
  let chunks = 0;
  const worker = async () => {
    while (left-- > 0) {
      const read = await work();
      chunks += read;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return chunks;
}

type ChunkLoad = { agent: string; input: string; runs?: number; deltas?: number };
type ChunkCost = { gateway: number; client: number; chunks: number };

/** µs of processor time per chunk: of the gateway, and of the client library in this process. */
async function measureChunks(
  context: BenchContext,
  gateway: Gateway,
  { agent, input, runs = RUNS, deltas: each = DELTAS }: ChunkLoad,
): Promise<ChunkCost> {
  const readOne = async () => (await readRun(gateway, input, agent, each)).chunks;
  await sumRuns(2 * AT_ONCE, readOne);
  const before = await cpuMs(gateway.pid);
  const chunks = await sumRuns(runs, readOne);
  const ms = (await cpuMs(gateway.pid)) - before;
  const load = { agent, input, atOnce: AT_ONCE, text: prose(each) };
  await manyRuns(context.stack.client, { ...load, total: AT_ONCE });
  const own = process.cpuUsage();
  const { deltas } = await manyRuns(context.stack.client, { ...load, total: runs });
  const { user, system } = process.cpuUsage(own);
  if (deltas !== runs * each) throw new Error(`the client gave ${deltas} deltas`);
  return { gateway: (ms * 1_000) / chunks, client: (user + system) / chunks, chunks: chunks / runs };
}

/** µs of processor time per message of a process that writes each message of a run to an HTTP response, unread. */
async function measureRelay({ natsUrl, stack }: BenchContext, input: string): Promise<number> {
  const child = spawn(process.execPath, [resolve(import.meta.dirname, '../raw-relay.ts')], {
    env: { PATH: process.env['PATH'] ?? '', NATS_URL: natsUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [port] = await once(child.stdout, 'data');
  const readOne = async () => {
    const runId = crypto.randomUUID();
    const leaving = new AbortController();
    const response = await fetch(`http://127.0.0.1:${Number(String(port))}/${runId}`, { signal: leaving.signal });
    let messages = 0;
    for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      if (part === 'ready') await stack.client.start(AGENT, input, { runId });
      else messages += 1;
      if (part.includes('"type":"finish"')) break;
    }
    leaving.abort();
    return messages;
  };
  try {
    await sumRuns(2 * AT_ONCE, readOne);
    const before = await cpuMs(child.pid ?? 0);
    const messages = await sumRuns(RUNS, readOne);
    return (((await cpuMs(child.pid ?? 0)) - before) * 1_000) / messages;
  } finally {
    child.kill();
    await once(child, 'exit');
  }
}

/** One message of NATS and one write for each chunk. */
export const gatewayChunks: Measure = async (context) => {
  const gateway = await openGateway(context);
  const input = makeScript(EVERY_MS);
  const cost = await measureChunks(context, gateway, { agent: AGENT, input });
  const relay = await measureRelay(context, input);
  const detail = { streams: AT_ONCE, everyMs: EVERY_MS, chunks: round(cost.chunks), rawRelay: round(relay) };
  return row('gateway-chunks', 'µs of processor time a chunk', cost.gateway, cost.client, detail);
};

/** The pieces of a burst in each message and in each write. */
export const gatewayBursts: Measure = async (context) => {
  const gateway = await openGateway(context);
  const { runs, deltas, burst } = BURSTS;
  const everyMs = burst * EVERY_MS;
  const input = makeScript(everyMs, deltas, burst);
  const cost = await measureChunks(context, gateway, { agent: RAW_AGENT, input, runs, deltas });
  const detail = { streams: AT_ONCE, burst, everyMs, chunks: round(cost.chunks) };
  return row('gateway-bursts', 'µs of processor time a chunk', cost.gateway, cost.client, detail);
};

/** µs of processor time to write one event with a constant text, as the gateway does, and by `response.write`. */
export const gatewayWrite: Measure = async () => {
  const { chunk = 0, response = 0, none = 0 } = await runProgram('gateway', 'write-events.ts', {});
  return row('gateway-write', 'µs of processor time a write', chunk - none, response - none, { streams: AT_ONCE });
};

/** From the start of a run to its first text, one at a time, over HTTP and by the client library, in turns. */
export const gatewayFirstText: Measure = async (context) => {
  const gateway = await openGateway(context);
  const input = makeScript(0);
  const http: number[] = [];
  const direct: number[] = [];
  for (let count = 0; count < WARM + LATENCIES; count += 1) {
    const read = await readRun(gateway, input);
    http.push(read.firstMs);
    const load = { agent: AGENT, input, atOnce: 1, total: 1, text: prose() };
    const { firstMs } = await manyRuns(context.stack.client, load);
    direct.push(...firstMs);
  }
  const [value, baseline] = [http, direct].map((all) => median(all.slice(-LATENCIES)));
  return row('gateway-first-text', 'ms, p50', value ?? 0, baseline ?? 0, { runs: LATENCIES });
};

/** Growth of the gateway's memory by streams that wait for their next chunk. */
export const gatewayIdle: Measure = async (context) => {
  const gateway = await openGateway(context);
  const { url, key, pid } = gateway;
  const headers = { authorization: `Bearer ${key}` };
  const started = await fetch(`${url}/v1/agents/${AGENT}/runs`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ input: makeScript(60_000) }),
  });
  const { runId } = JSON.parse(await started.text());
  const before = await readMemory(pid);
  const leaving = new AbortController();
  const open = async () => {
    const response = await fetch(`${url}/v1/runs/${runId}/chunks`, { headers, signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
  };
  for (let count = 0; count < IDLE_STREAMS; count += 50) await Promise.all(Array.from({ length: 50 }, open));
  const after = await readMemory(pid);
  leaving.abort();
  await fetch(`${url}/v1/runs/${runId}/cancel`, { method: 'POST', headers });
  return row('gateway-idle', 'MB', after, before, { streams: IDLE_STREAMS, growth: round(after - before) });
};

/** Resident memory of a process, MB. */
async function readMemory(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1] ?? 0) / 1_000;
}
