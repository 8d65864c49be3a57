// Runs a provider for tests: a real HTTP server with the part of OpenAI's protocol that Millrace uses. Records
// requests, and answers, fails or stays silent as the test configures. For tests only; use dev-model to develop without
// a key.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { JsonObject, JsonValue } from '@millrace/contracts';
import { createHash } from 'node:crypto';
import { listenLocally } from './listen-locally.ts';

export const DIMENSIONS = 256;

/** Hashes each word into one of DIMENSIONS buckets: texts that share words have near vectors, the same in every run. */
function hashedWords(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ['']) {
    const bucket = createHash('sha256').update(word).digest().readUInt32BE() % DIMENSIONS;
    vector[bucket] = (vector[bucket] ?? 0) + 1;
  }
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

type ProviderRequest = { path: string; body: JsonObject };

/** Failure instead of an answer; `silent`: the connection stays open without data. */
export type ProviderFault = { status: number; headers?: Record<string, string>; message?: string } | 'silent';

export type TestProvider = {
  /** Value for OPENAI_BASE_URL. */
  baseUrl: string;
  requests: ProviderRequest[];
  /** The texts of every embedding request so far, in order. */
  listEmbedded(): string[];
  /** Answer of language models from now on; an object is sent as JSON. */
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
    if (request.path.endsWith('/embeddings')) return send(outgoing, 200, buildEmbeddings(request.body));
    const told = await answer(request);
    const text = typeof told === 'string' ? told : JSON.stringify(told);
    send(outgoing, 200, request.path.endsWith('/responses') ? buildResponse(text) : buildCompletion(text));
  }

  const server = createServer((incoming, outgoing) => {
    serve(incoming, outgoing).catch((error: unknown) => send(outgoing, 500, { error: { message: String(error) } }));
  });
  return {
    ...(await listenLocally(server)),
    requests,
    listEmbedded: () =>
      requests.filter(({ path }) => path.endsWith('/embeddings')).flatMap(({ body }) => readInputs(body)),
    answer: (with_) => void (answer = with_),
    fail: (...more) => void faults.push(...more),
    failAlways: (fault) => void (lasting = fault),
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

function readInputs(body: JsonObject): string[] {
  return [body['input'] ?? []].flat().map(String);
}

function buildEmbeddings(body: JsonObject): JsonObject {
  const data = readInputs(body).map((text, index) => ({ object: 'embedding', index, embedding: hashedWords(text) }));
  return { object: 'list', model: 'test', data, usage: { prompt_tokens: 1, total_tokens: 1 } };
}

function buildResponse(text: string): JsonObject {
  const content = [{ type: 'output_text', text, annotations: [] }];
  return {
    id: 'resp_1',
    created_at: 0,
    model: 'test',
    output: [{ type: 'message', role: 'assistant', id: 'msg_1', content }],
    usage: { input_tokens: 1, output_tokens: 1 },
  };
}

function buildCompletion(text: string): JsonObject {
  const choices = [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }];
  return { id: 'cmpl_1', created: 0, model: 'test', choices, usage: { prompt_tokens: 1, completion_tokens: 1 } };
}
