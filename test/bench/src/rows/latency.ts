// Latencies on an idle machine, in a separate stack: until the model call, and until another orchestrator takes over.
import { startNats, startStack, type Stack } from '@millrace/testkit/bench';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { BenchContext, Measure } from '../bench-context.ts';
import { needSix, SIX } from '../bench-context.ts';
import { median, MODEL, makeScript } from '../load.ts';
import { round, row } from '../measure.ts';

type Own = { stack: Stack; context: BenchContext };

export async function withOwnStack<T>(shared: BenchContext, measure: (own: Own) => Promise<T>): Promise<T> {
  const dir = await mkdtemp(join(shared.dir, 'own-'));
  const nats = await startNats({ storeDir: dir, log: () => undefined });
  const env = { LOG_LEVEL: 'warn', SQLITE_PATH: join(dir, 'memory.db') };
  const stack = await startStack({ natsUrl: nats.url, services: [], env });
  try {
    const context = { natsUrl: nats.url, natsPid: nats.pid, dir, stack };
    return await measure({ stack, context });
  } finally {
    await stack.stop();
    await nats.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

/** A proxy before dev-model that reports the time of a request. */
async function watchModel(url: string) {
  const { hostname, port } = new URL(url);
  const requestTimes: number[] = [];
  const server = createServer((incoming, outgoing) => {
    requestTimes.push(performance.now());
    const { method, url: path, headers } = incoming;
    const forward = request({ hostname, port, method, path, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(forward);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port has this address
  const address = server.address() as AddressInfo;
  return { asked: requestTimes, url: `http://127.0.0.1:${address.port}/v1`, close: () => server.close() };
}

const RUNS = 200;

/**
 * Measures from the client's `start` to the model call, one run at a time. The baseline has no processors and no
 * memory.
 */
export const submitToModel: Measure = (shared) =>
  withOwnStack(shared, async ({ stack, context }) => {
    const model = await watchModel(stack.modelUrl);
    await stack.start('orchestrator', { OPENAI_BASE_URL: model.url });
    await stack.start('message-history');
    await needSix(context);
    const { client } = stack;
    await client.agents.apply({ name: 'six', model: MODEL, input: SIX, output: SIX, memory: { lastMessages: 10 } });
    await client.agents.apply({ name: 'bare', model: MODEL });
    const latency = async (agent: string) => {
      const ms: number[] = [];
      for (let count = 0; count < RUNS; count += 1) {
        model.asked.length = 0;
        const begun = performance.now();
        const run = await client.start(agent, makeScript(0, 10), { threadId: `${agent}-${count}` });
        await run.result();
        ms.push((model.asked[0] ?? Number.NaN) - begun);
      }
      return median(ms.slice(RUNS / 2));
    };
    const six = await latency('six');
    const bare = await latency('bare');
    model.close();
    return row('submit-to-model', 'ms p50, idle', six, bare, { runs: RUNS / 2 });
  });

const TAKEN = 8;
/** Time for which the queue waits for an owner's next sign of life. */
const ACK_WAIT_MS = 20_000;

/** Kills one of two orchestrators in mid-stream and measures the gap until the followers' next chunk. */
export const takeover: Measure = (shared) =>
  withOwnStack(shared, async ({ stack }) => {
    await stack.start('orchestrator');
    const first = stack.pids().find(({ service }) => service === 'orchestrator');
    await stack.client.agents.apply({ name: 'bare', model: MODEL });
    const follow = async () => {
      const run = await stack.client.start('bare', makeScript(100, 100));
      let last = performance.now();
      let gap = 0;
      for await (const chunk of run.fullStream) {
        const now = performance.now();
        if (chunk.type !== 'start') gap = Math.max(gap, now - last);
        last = now;
      }
      return gap;
    };
    const following = Array.from({ length: TAKEN }, follow);
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    await stack.start('orchestrator');
    if (first) process.kill(first.pid, 'SIGKILL');
    const gaps = (await Promise.all(following)).toSorted((one, other) => one - other);
    return row('takeover', 'ms until the next chunk, p50', median(gaps), ACK_WAIT_MS, {
      longest: round(gaps.at(-1) ?? 0),
      runs: TAKEN,
    });
  });
