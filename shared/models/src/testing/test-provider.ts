// A provider for tests: a real HTTP server that speaks as much of OpenAI's protocol as Millrace's models ask for, records what
// it was asked, and answers, fails or stays silent as the test says. For tests only; people who have no key use dev-model.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '@millrace/contracts';
import { DIMENSIONS, hashedWords } from './hashed-words.ts';

export { DIMENSIONS };

type ProviderRequest = { path: string; body: JsonObject };

/** What to answer with instead of an answer; `silent`: the connection stays open and nothing comes. */
export type ProviderFault = { status: number; headers?: Record<string, string>; message?: string } | 'silent';

export type TestProvider = {
  /** What OPENAI_BASE_URL would be. */
  baseUrl: string;
  requests: ProviderRequest[];
  /** The texts of every embedding request so far, in order. */
  embedded(): string[];
  /** What language models answer from now on; an object is answered as JSON. */
  answer(with_: (request: ProviderRequest) => JsonValue | Promise<JsonValue>): void;
  /** The next requests fail, one fault each. */
  fail(...faults: ProviderFault[]): void;
  /** Every request fails from now on. */
  failAlways(fault: ProviderFault): void;
  close(): Promise<void>;
};

export async function startTestProvider(): Promise<TestProvider> {
  const requests: ProviderRequest[] = [];
  const faults: ProviderFault[] = [];
  let lasting: ProviderFault | undefined;
  let answer: (request: ProviderRequest) => JsonValue | Promise<JsonValue> = () => ({});

  async function serve(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const request = { path: incoming.url ?? '', body: await readJson(incoming) };
    requests.push(request);
    const fault = faults.shift() ?? lasting;
    if (fault === 'silent') return;
    if (fault) return send(outgoing, fault.status, { error: { message: fault.message ?? 'as told' } }, fault.headers);
    if (request.path.endsWith('/embeddings')) return send(outgoing, 200, embeddingsOf(request.body));
    const told = await answer(request);
    const text = typeof told === 'string' ? told : JSON.stringify(told);
    send(outgoing, 200, request.path.endsWith('/responses') ? responseOf(text) : completionOf(text));
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => send(outgoing, 500, { error: { message: String(error) } }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests,
    embedded: () => requests.filter(({ path }) => path.endsWith('/embeddings')).flatMap(({ body }) => inputsOf(body)),
    answer: (with_) => void (answer = with_),
    fail: (...more) => void faults.push(...more),
    failAlways: (fault) => void (lasting = fault),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function readJson(incoming: IncomingMessage): Promise<JsonObject> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming) pieces.push(piece);
  return JSON.parse(Buffer.concat(pieces).toString());
}

function send(outgoing: ServerResponse, status: number, body: JsonValue, headers: Record<string, string> = {}): void {
  outgoing.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}

function inputsOf(body: JsonObject): string[] {
  return [body['input'] ?? []].flat().map(String);
}

function embeddingsOf(body: JsonObject): JsonObject {
  const data = inputsOf(body).map((text, index) => ({ object: 'embedding', index, embedding: hashedWords(text) }));
  return { object: 'list', model: 'test', data, usage: { prompt_tokens: 1, total_tokens: 1 } };
}

function responseOf(text: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return {
    id: 'resp_1',
    created_at: 0,
    model: 'test',
    output: [{ type: 'message', role: 'assistant', id: 'msg_1', content }],
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function completionOf(text: string): JsonObject {
  const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
  return { id: 'cmpl_1', created: 0, model: 'test', choices, usage: { prompt_tokens: 1, completion_tokens: 1 } };
}
