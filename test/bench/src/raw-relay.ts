// The least that a gateway can do: writes each message of a run's chunk subject to an HTTP response, unread. Prints its
// port. NATS_URL.
import { createServer } from 'node:http';
import { connectBus } from '@millrace/testkit/bench';

const { NATS_URL = '' } = process.env;
const bus = await connectBus({ servers: NATS_URL, name: 'raw-relay' });
const server = createServer((request, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const run = request.url?.slice(1) ?? '';
  const subscription = bus.nc.subscribe(bus.subjects.chunksOfAnyCaller('default', run), {
    callback: (_, message) => void response.write(message.data),
  });
  response.on('close', () => subscription.unsubscribe());
  void bus.nc.flush().then(() => response.write('ready'));
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  process.stdout.write(`${typeof address === 'object' ? address?.port : ''}\n`);
});
