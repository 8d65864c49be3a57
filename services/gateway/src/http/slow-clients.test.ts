// Clients that send or read slowly, over raw connections.
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Hono } from 'hono';
import { quietListener } from '../testing/quiet-listener.ts';
import { formatEvent, respondWithEvents, type StreamDelivery } from './event-stream.ts';
import { listenHttp, type ListeningServer } from './listen.ts';
import { onResponseEnd } from './response-end.ts';

const TIMEOUTS = { headersMs: 200, requestMs: 400, checkMs: 50, idleMs: 60_000, stalledMs: 200 };
const HOST = 'host: 127.0.0.1\r\n';

async function serve(app: Hono, options: Partial<Parameters<typeof listenHttp>[1]> = {}): Promise<ListeningServer> {
  const server = await listenHttp(app, { ...quietListener, timeouts: TIMEOUTS, ...options });
  onTestFinished(() => server.close(0));
  return server;
}

function open(server: ListeningServer, text: string): Socket {
  const socket = connect(server.port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined);
  socket.write(text);
  return socket;
}

const createReader = (): Hono => {
  const app = new Hono();
  app.get('/', (call) => call.text('whole'));
  app.post('/', async (call) => call.text(await call.req.text()));
  return app;
};

test.each([
  ['nothing', ''],
  ['a part of its headers', `GET / HTTP/1.1\r\n${HOST}`],
  ['a part of its body', `POST / HTTP/1.1\r\n${HOST}content-length: 10\r\n\r\nhalf`],
  ['a part of a chunk', `POST / HTTP/1.1\r\n${HOST}transfer-encoding: chunked\r\n\r\n5\r\nab`],
])('A client that sends %s is answered with 408, and its connection is closed', async (_part, text) => {
  const socket = open(await serve(createReader()), text);
  expect(await readText(socket)).toMatch(/^HTTP\/1.1 408 /);
});

test('An idle connection is kept between its requests', async () => {
  const socket = open(await serve(createReader()), '');
  for (let requests = 0; requests < 2; requests += 1) {
    socket.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    const [received]: Buffer[] = await once(socket, 'data');
    expect(received?.toString()).toContain('Keep-Alive: timeout=60');
  }
});

const LARGE = 'x'.repeat(1_000_000);

test('The stream of a client that does not read stops, and its connection is closed', async () => {
  let produced = 0;
  const ended = Promise.withResolvers<StreamDelivery>();
  const stalled = Promise.withResolvers<number>();
  const app = new Hono();
  app.get('/', () =>
    respondWithEvents(
      (async function* () {
        for (; produced < 1_000; produced += 1) yield formatEvent(LARGE);
      })(),
      { keepAliveMs: 10, onEnd: ended.resolve },
    ),
  );
  const socket = open(await serve(app, { onStalled: stalled.resolve }), `GET / HTTP/1.1\r\n${HOST}\r\n`);
  socket.pause();
  expect(await ended.promise).toBe('interrupted');
  // The socket holds the event that was written last, and no other one: the source waits.
  expect(await stalled.promise).toBeLessThan(2 * LARGE.length);
  expect(produced).toBeLessThan(100);
});

test('The connection of a client that does not read a whole answer is closed', async () => {
  const ended = Promise.withResolvers<StreamDelivery>();
  const app = new Hono();
  app.get('/', () => onResponseEnd(new Response(LARGE.repeat(20)), ended.resolve));
  const socket = open(await serve(app), `GET / HTTP/1.1\r\n${HOST}\r\n`);
  socket.pause();
  expect(await ended.promise).toBe('unsent');
});

test('A client that reads slowly gets all of a stream, which takes longer than one write may', async () => {
  const timeouts = { ...TIMEOUTS, stalledMs: 1_500 };
  const app = new Hono();
  app.get('/', () =>
    respondWithEvents(
      (async function* () {
        for (let written = 0; written < 200; written += 1) yield formatEvent('x'.repeat(100_000));
      })(),
      { keepAliveMs: 10_000, onEnd: () => undefined },
    ),
  );
  const startedAt = performance.now();
  const socket = open(await serve(app, { timeouts }), `GET / HTTP/1.0\r\n${HOST}\r\n`);
  let bytes = 0;
  for await (const part of socket) {
    bytes += part.length;
    await delay(8);
  }
  expect(performance.now() - startedAt).toBeGreaterThan(timeouts.stalledMs);
  expect(bytes).toBeGreaterThan(200 * 100_000);
});

test('A client that reads slowly gets all of a whole answer, which is one write and takes longer than one may stall', async () => {
  const timeouts = { ...TIMEOUTS, stalledMs: 3_000 };
  const app = new Hono();
  app.get('/', (call) => call.json({ text: LARGE.repeat(20) }));
  const startedAt = performance.now();
  const socket = open(await serve(app, { timeouts }), `GET / HTTP/1.1\r\n${HOST}connection: close\r\n\r\n`);
  let bytes = 0;
  for await (const part of socket) {
    bytes += part.length;
    await delay(15);
  }
  expect(performance.now() - startedAt).toBeGreaterThan(timeouts.stalledMs);
  expect(bytes).toBeGreaterThan(20 * LARGE.length);
}, 30_000);

test('A connection above the limit is refused and counted, and the others are served', async () => {
  const refused = Promise.withResolvers<number>();
  const server = await serve(createReader(), { maxConnections: 1, onRefused: refused.resolve });
  const first = open(server, `GET / HTTP/1.1\r\n${HOST}\r\n`);
  await once(first, 'data');
  await once(open(server, `GET / HTTP/1.1\r\n${HOST}\r\n`), 'close');
  expect(await refused.promise).toBe(1);
  first.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
  const [received]: Buffer[] = await once(first, 'data');
  expect(received?.toString()).toContain('whole');
});
