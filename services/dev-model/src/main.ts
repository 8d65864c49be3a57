// The dev-model process: `PORT` (4141), `HOST` (127.0.0.1), `LOG_LEVEL` (info) and `CONTEXT_WINDOW` (none) from the environment, log lines as JSON on stdout.
import { createLog } from './log.ts';
import { startDevModel } from './start-dev-model.ts';

const { PORT = '4141', HOST = '127.0.0.1', LOG_LEVEL, CONTEXT_WINDOW } = process.env;
const log = createLog(LOG_LEVEL, (line) => console.log(line));
const devModel = await startDevModel({
  port: Number(PORT),
  host: HOST,
  log,
  contextWindow: CONTEXT_WINDOW === undefined ? undefined : Number(CONTEXT_WINDOW),
});
log.info({ url: devModel.url }, 'listening');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void devModel.close());
