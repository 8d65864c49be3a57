// The dev-model process: `PORT` (4141) and `HOST` (127.0.0.1) from the environment, log lines as JSON on stdout.
import { startDevModel } from './start-dev-model.ts';

const write = (level: number) => (fields: object, message: string) =>
  console.log(JSON.stringify({ level, time: Date.now(), name: 'dev-model', ...fields, msg: message }));
const log = { info: write(30), warn: write(40), error: write(50) };

const { PORT = '4141', HOST = '127.0.0.1' } = process.env;
const devModel = await startDevModel({ port: Number(PORT), host: HOST, log });
log.info({ url: devModel.url }, 'listening');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void devModel.close());
