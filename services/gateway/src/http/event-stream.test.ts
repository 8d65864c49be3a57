// Events over real connections: the framing is our own, so clients of several kinds read it.
import { once } from 'node:events';
import { get, Agent, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { text as readText } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { Hono } from 'hono';
import { closeUnreadStream, formatEvent, respondWithEvents, type StreamDelivery } from './event-stream.ts';
import { listenHttp, type ListeningServer } from './listen.ts';
import { quietListener } from '../testing/quiet-listener.ts';

type Served = { server: ListeningServer; ended: Promise<StreamDelivery> };

async function serve(frames: () => AsyncGenerator<string, void>, keepAliveMs = 10_000): Promise<Served> {
  const ended = Promise.withResolvers<StreamDelivery>();
  const app = new Hono();
  app.use(closeUnreadStream);
  app.get('/', () => respondWithEvents(frames(), { keepAliveMs, onEnd: ended.resolve }));
  app.get('/other', (call) => call.text('other'));
  const server = await listenHttp(app, quietListener);
  onTestFinished(() => server.close(0));
  return { server, ended: ended.promise };
}

const TEXTS = ['plain', 'é and 漢字 and 😀', '', 'x'.repeat(200_000)];
async function* yieldTexts(): AsyncGenerator<string, void> {
  for (const text of TEXTS) yield text === '' ? '' : formatEvent(JSON.stringify(text));
}
const EXPECTED = TEXTS.filter((text) => text !== '')
  .map((text) => formatEvent(JSON.stringify(text)))
  .join('');

test('A client receives every event, also those that are empty, long or not ASCII', async () => {
  const { server, ended } = await serve(yieldTexts);
  const response = await fetch(server.url);
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
  expect(await response.text()).toBe(EXPECTED);
  expect(await ended).toBe('sent');
});

test('A connection that is kept alive serves the next request after a stream', async () => {
  const { server } = await serve(yieldTexts);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const request = async (path: string) => {
    const [response]: IncomingMessage[] = await once(get(`${server.url}${path}`, { agent }), 'response');
    if (!response) throw new Error('no response');
    const { localPort: port } = response.socket;
    return { text: await readText(response), port };
  };
  const stream = await request('/');
  const other = await request('/other');
  expect([stream.text, other.text]).toEqual([EXPECTED, 'other']);
  expect(other.port).toBe(stream.port);
  agent.destroy();
});

test('A pipelined stream waits for the response before it', async () => {
  const { server } = await serve(yieldTexts);
  const socket = connect(server.port, '127.0.0.1');
  const ask = (close: boolean) => `GET / HTTP/1.1\r\nhost: 127.0.0.1\r\n${close ? 'connection: close\r\n' : ''}\r\n`;
  socket.write(ask(false) + ask(true));
  const received = await readText(socket);
  expect(received.split('HTTP/1.1 200 OK')).toHaveLength(3);
  expect(received.split('"plain"')).toHaveLength(3);
  expect(received.endsWith('\r\n0\r\n\r\n')).toBe(true);
});

test('A client of HTTP/1.0 receives the events without chunks', async () => {
  const { server } = await serve(yieldTexts);
  const socket = connect(server.port, '127.0.0.1');
  socket.write('GET / HTTP/1.0\r\nhost: 127.0.0.1\r\n\r\n');
  const received = await readText(socket);
  expect(received.slice(received.indexOf('\r\n\r\n') + 4)).toBe(EXPECTED);
});

test('A client that does not read holds the source back, and receives all of it later', async () => {
  const COUNT = 200;
  let produced = 0;
  const { server } = await serve(async function* () {
    for (; produced < COUNT; produced += 1) yield formatEvent('x'.repeat(100_000));
  });
  const [response]: IncomingMessage[] = await once(get(server.url), 'response');
  if (!response) throw new Error('no response');
  const [first] = await once(response, 'readable');
  expect(first).toBeUndefined();
  expect(produced).toBeLessThan(COUNT);
  expect((await readText(response)).length).toBe(COUNT * formatEvent('x'.repeat(100_000)).length);
});

test('The source closes when its client disconnects, also during a wait', async () => {
  const closing = Promise.withResolvers<void>();
  const { server, ended } = await serve(async function* () {
    yield formatEvent('one');
    await closing.promise;
  });
  void ended.then(() => closing.resolve());
  const leaving = new AbortController();
  const response = await fetch(server.url, { signal: leaving.signal });
  await response.body?.getReader().read();
  leaving.abort();
  expect(await ended).toBe('interrupted');
});

test('A source that throws cuts the response, so that no client takes it for whole', async () => {
  const { server, ended } = await serve(async function* () {
    yield formatEvent('one');
    throw new Error('broken');
  });
  const response = await fetch(server.url);
  await expect(response.text()).rejects.toThrow('terminated');
  expect(await ended).toBe('interrupted');
});

test('A silent source is kept alive by comments', async () => {
  const waiting = Promise.withResolvers<void>();
  const { server } = await serve(async function* () {
    await waiting.promise;
    yield formatEvent('late');
  }, 5);
  const response = await fetch(server.url);
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  expect((await reader?.read())?.value).toContain(': keep-alive');
  waiting.resolve();
  let received = '';
  for (let read = await reader?.read(); read && !read.done; read = await reader?.read()) received += read.value;
  expect(received.endsWith('data: late\n\n')).toBe(true);
});

test('A request for the headers alone closes the source', async () => {
  const { server, ended } = await serve(yieldTexts);
  const response = await fetch(server.url, { method: 'HEAD' });
  expect(response.status).toBe(200);
  expect(await ended).toBe('interrupted');
});
