// A provider of chat completions whose models have one fault each. It records the time of each request.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';

export const WORDS = 60;
/** The complete answer of a model: each provider has its own. */
export const completeText = (provider: string, model: string): string =>
  Array.from({ length: WORDS }, (_, at) => `${provider}-${model}-${at} `).join('');

export type FaultyCall = {
  /** From 1 on. */
  attempt: number;
  model: string;
  response: ServerResponse;
  /** Silence that exceeds each time limit of the candidate. */
  quietMs: number;
  /** Sends the first words of the answer as events. */
  sendWords(from: number, to: number): Promise<void>;
  sendEvent(event: object | string): void;
  /** Sends the rest of the answer, its usage and the end of the stream. */
  finish(from: number, options?: { hasDone?: boolean }): Promise<void>;
  fail(status: number, body: object | string, headers?: Record<string, string>): void;
  /** Waits while the caller is connected, ms. */
  wait(ms: number): Promise<void>;
};
export type Fault = (call: FaultyCall) => Promise<void> | void;

export type FaultProvider = {
  baseUrl: string;
  /** Times of the requests of a model, ms. */
  listRequests(model: string): number[];
  close(): Promise<void>;
};

const requestSchema = z.object({ model: z.string(), messages: z.array(z.object({ role: z.string() })) });

/** @param provider name in the texts of the answers. @param findFault returns the fault of a model; undefined: it answers */
export async function startFaultProvider(
  provider: string,
  findFault: (model: string, lastRole: string) => Fault | undefined,
  quietMs: number,
): Promise<FaultProvider> {
  const requests = new Map<string, number[]>();
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { model, messages } = requestSchema.parse(await json(incoming));
    const times = requests.get(model) ?? [];
    requests.set(model, [...times, performance.now()]);
    const call = createCall({ provider, model, attempt: times.length + 1, response, quietMs });
    await (findFault(model, messages.at(-1)?.role ?? '') ?? ((well) => well.finish(0)))(call);
  };
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(Object(error)));
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    listRequests: (model) => requests.get(model) ?? [],
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

type CallParts = Pick<FaultyCall, 'model' | 'attempt' | 'response' | 'quietMs'> & { provider: string };

function createCall({ provider, model, attempt, response, quietMs }: CallParts): FaultyCall {
  const head = { id: `c-${model}`, object: 'chat.completion.chunk', created: 1, model };
  const words = completeText(provider, model).split(/(?<= )/);
  const begin = () => {
    if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
  };
  const sendEvent = (event: object | string) => {
    begin();
    response.write(`data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`);
  };
  const closed = once(response, 'close').catch(() => undefined);
  const wait = async (ms: number) => {
    const timer = new AbortController();
    await Promise.race([closed, delay(ms, undefined, { signal: timer.signal }).catch(() => undefined)]);
    timer.abort();
  };
  const sendWords = async (from: number, to: number) => {
    for (const content of words.slice(from, to)) {
      sendEvent({ ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] });
      await wait(1);
    }
  };
  return {
    attempt,
    model,
    response,
    quietMs,
    sendWords,
    sendEvent,
    wait,
    async finish(from, { hasDone = true } = {}) {
      await sendWords(from, WORDS);
      sendEvent({ ...head, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] });
      const usage = { prompt_tokens: 10, completion_tokens: WORDS, total_tokens: WORDS + 10 };
      sendEvent({ ...head, choices: [], usage });
      if (hasDone) sendEvent('[DONE]');
      response.end();
    },
    fail(status, body, headers = {}) {
      const isText = typeof body === 'string';
      response
        .writeHead(status, { 'content-type': isText ? 'text/html' : 'application/json', ...headers })
        .end(isText ? body : JSON.stringify(body));
    },
  };
}
