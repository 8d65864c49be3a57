// Prints the processor time of writing events, µs each: 16 streams, one event every 5 ms, a constant text. `chunk` writes
// as the gateway does, `response` with `response.write`, and `none` writes nothing. They bound the cost of a chunk from below.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer, get, type ServerResponse } from 'node:http';
import { setInterval as every } from 'node:timers/promises';
import { writeChunk } from '../src/http/chunked-response.ts';
import { formatEvent } from '../src/http/event-stream.ts';

const STREAMS = 16;
const EVENTS = 400;
const EVERY_MS = 5;
const EVENT = formatEvent(
  JSON.stringify({
    type: 'text-delta',
    runId: crypto.randomUUID(),
    from: 'AGENT',
    payload: { id: 't1', text: ' word' },
  }),
  { id: '1.100' },
);
const WAYS: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  none: () => undefined,
  response: (response) => response.write(EVENT),
  chunk: (response) => writeChunk(response, EVENT),
};

/** Reads the streams in another process: its time does not count. */
async function readAll(url: string): Promise<void> {
  const read = async () => {
    const [response] = await once(get(url, { agent: false }), 'response');
    response.resume();
    await once(response, 'end');
  };
  await Promise.all(Array.from({ length: STREAMS }, read));
}

async function measure(write: (response: ServerResponse) => unknown): Promise<number> {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    const send = async () => {
      let left = EVENTS;
      for await (const writeOne of every(EVERY_MS, () => write(response))) {
        writeOne();
        left -= 1;
        if (left === 0) break;
      }
      response.end();
    };
    void send();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const before = process.cpuUsage();
  const reader = fork(import.meta.filename, [`http://127.0.0.1:${port}`]);
  await once(reader, 'exit');
  const { user, system } = process.cpuUsage(before);
  server.close();
  return (user + system) / (STREAMS * EVENTS);
}

const [url] = process.argv.slice(2);
if (url === undefined) {
  const costs: Record<string, number> = {};
  for (const [name, write] of Object.entries(WAYS)) costs[name] = await measure(write);
  console.log(JSON.stringify(costs));
} else await readAll(url);
