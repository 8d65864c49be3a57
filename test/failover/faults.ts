// The faults of a provider, and the conduct that each requires. The first sixteen are those of the public Failover Bench v0.1.
import { once } from 'node:events';
import type { Fault, FaultyCall } from './fault-provider.ts';

/** Who may answer: the model with the fault, or the candidate after it. `none`: the run fails with the reason of the provider. */
type Answerer = 'first' | 'second' | 'either' | 'none';
export type FaultCase = {
  name: string;
  fault: Fault;
  answer: Answerer;
  /** Maximum number of requests to the model with the fault. */
  maxRequests: number;
  /** Maximum number of them in a time, ms. */
  inTime?: { requests: number; ms: number };
  /** Minimum time between the first two requests, ms. */
  minPauseMs?: number;
  /** Words that clients have seen of the model with the fault. */
  isShown?: boolean;
  /** The second candidate refuses a request that ends with a message of the assistant. */
  refusesPrefill?: boolean;
  /** Part of the error, if no candidate answers. */
  reason?: RegExp;
};

const error = (code: string, message = `The provider reports ${code}.`) => ({ error: { message, type: code, code } });
const onFirst =
  (fault: Fault): Fault =>
  (call) =>
    call.attempt === 1 ? fault(call) : call.finish(0);
const destroy = ({ response }: FaultyCall) => void response.socket?.destroy();
const die = async (call: FaultyCall) => {
  await call.sendWords(0, 40);
  destroy(call);
};
const FOREVER_MS = 120_000;

export const FAULTS: readonly FaultCase[] = [
  {
    name: '429 with Retry-After, then well',
    fault: onFirst((call) => call.fail(429, error('rate_limit'), { 'retry-after': '2' })),
    answer: 'either',
    maxRequests: 2,
    inTime: { requests: 2, ms: 1_500 },
    minPauseMs: 1_800,
  },
  {
    name: '429 always',
    fault: (call) => call.fail(429, error('rate_limit')),
    answer: 'second',
    maxRequests: 6,
    inTime: { requests: 4, ms: 3_000 },
  },
  {
    name: '500 once',
    fault: onFirst((call) => call.fail(500, error('server_error'))),
    answer: 'first',
    maxRequests: 2,
  },
  { name: '503 always', fault: (call) => call.fail(503, error('overloaded')), answer: 'second', maxRequests: 6 },
  { name: 'a reset before the headers, once', fault: onFirst(destroy), answer: 'either', maxRequests: 2 },
  { name: 'silence after the request', fault: (call) => call.wait(FOREVER_MS), answer: 'second', maxRequests: 1 },
  {
    name: 'headers, and the first token late',
    fault: async (call) => {
      call.sendEvent({
        id: 'c',
        object: 'chat.completion.chunk',
        created: 1,
        model: call.model,
        choices: [{ index: 0, delta: { role: 'assistant' }, finish_reason: null }],
      });
      await call.wait(call.quietMs);
      await call.finish(0);
    },
    answer: 'second',
    maxRequests: 1,
  },
  { name: 'a stream that dies after 40 of 60 words', fault: die, answer: 'second', maxRequests: 3, isShown: true },
  {
    name: 'silence after 20 words',
    fault: async (call) => {
      await call.sendWords(0, 20);
      await call.wait(call.quietMs);
      await call.finish(20);
    },
    answer: 'second',
    maxRequests: 1,
    isShown: true,
  },
  {
    name: 'an event that is no JSON, once',
    fault: onFirst(async (call) => {
      await call.sendWords(0, 9);
      call.sendEvent('{"choices":[{"ind');
      await call.finish(9);
    }),
    answer: 'either',
    maxRequests: 2,
    isShown: true,
  },
  {
    name: 'a complete answer without [DONE]',
    fault: (call) => call.finish(0, { hasDone: false }),
    answer: 'first',
    maxRequests: 1,
  },
  {
    name: 'context_length_exceeded',
    fault: (call) => call.fail(400, error('context_length_exceeded')),
    answer: 'second',
    maxRequests: 1,
  },
  {
    name: 'content_policy_violation',
    fault: (call) => call.fail(400, error('content_policy_violation')),
    answer: 'none',
    maxRequests: 1,
    reason: /content_policy_violation/,
  },
  {
    name: 'a stream that dies, and a second model without prefill',
    fault: die,
    answer: 'second',
    maxRequests: 3,
    isShown: true,
    refusesPrefill: true,
  },
  {
    name: '503 for the first four requests',
    fault: (call) => (call.attempt <= 4 ? call.fail(503, error('overloaded')) : call.finish(0)),
    answer: 'second',
    maxRequests: 4,
  },
  {
    name: '503 always, and the answer names the second model',
    fault: (call) => call.fail(503, error('overloaded')),
    answer: 'second',
    maxRequests: 6,
  },
  {
    name: 'own: a page of HTML with 502',
    fault: (call) => call.fail(502, '<html><body>Bad gateway</body></html>'),
    answer: 'second',
    maxRequests: 6,
  },
  {
    name: 'own: a page of HTML with 200',
    fault: (call) => call.fail(200, '<html>Maintenance</html>'),
    answer: 'second',
    maxRequests: 6,
  },
  {
    name: 'own: 200 with an error object',
    fault: (call) => call.fail(200, error('server_error')),
    answer: 'second',
    maxRequests: 6,
  },
  {
    name: 'own: an error object in the stream',
    fault: async (call) => {
      await call.sendWords(0, 5);
      call.sendEvent(error('server_error'));
      call.response.end();
    },
    answer: 'second',
    maxRequests: 6,
    isShown: true,
  },
  {
    name: 'own: a wrong content type',
    fault: async (call) => {
      call.response.writeHead(200, { 'content-type': 'text/plain' });
      await call.finish(0);
    },
    answer: 'either',
    maxRequests: 6,
  },
  {
    name: 'own: an empty body',
    fault: (call) => void call.response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    answer: 'second',
    maxRequests: 6,
  },
  {
    name: 'own: a stream that ends without a finish',
    fault: async (call) => {
      await call.sendWords(0, 30);
      call.response.end();
    },
    answer: 'second',
    maxRequests: 6,
    isShown: true,
  },
  {
    name: 'own: a stream that ends within an event',
    fault: async (call) => {
      await call.sendWords(0, 30);
      call.response.end('data: {"id":"c","choi');
    },
    answer: 'second',
    maxRequests: 6,
    isShown: true,
  },
  {
    name: 'own: one byte at a time',
    fault: async (call) => {
      call.response.writeHead(200, { 'content-type': 'text/event-stream' });
      const text = ': comment\n'.repeat(2);
      for (const byte of text) {
        call.response.write(byte);
        await call.wait(5);
      }
      await call.finish(0);
    },
    answer: 'first',
    maxRequests: 1,
  },
  {
    name: 'own: comments for ever',
    fault: async (call) => {
      call.response.writeHead(200, { 'content-type': 'text/event-stream' });
      while (!call.response.destroyed) {
        call.response.write(': keep-alive\n\n');
        await call.wait(50);
      }
    },
    answer: 'second',
    maxRequests: 1,
  },
  { name: 'own: 401', fault: (call) => call.fail(401, error('invalid_api_key')), answer: 'second', maxRequests: 1 },
  { name: 'own: 402', fault: (call) => call.fail(402, error('payment_required')), answer: 'second', maxRequests: 1 },
  {
    name: 'own: 429 of an exhausted account',
    fault: (call) => call.fail(429, error('insufficient_quota')),
    answer: 'second',
    maxRequests: 1,
  },
  {
    name: 'own: 413 with a prompt that is too long',
    fault: (call) => call.fail(413, error('invalid_request', 'prompt is too long: 9 tokens > 8')),
    answer: 'second',
    maxRequests: 1,
  },
  {
    name: 'own: 422',
    fault: (call) => call.fail(422, error('bad_setting')),
    answer: 'none',
    maxRequests: 1,
    reason: /bad_setting/,
  },
  {
    name: 'own: a redirect',
    fault: (call) => call.fail(302, '', { location: 'http://127.0.0.1:1/' }),
    answer: 'second',
    maxRequests: 6,
  },
  {
    name: 'own: a reset within the headers',
    fault: async (call) => {
      call.response.socket?.write('HTTP/1.1 200 OK\r\ncontent-ty');
      destroy(call);
      await once(call.response, 'close');
    },
    answer: 'second',
    maxRequests: 6,
  },
];
