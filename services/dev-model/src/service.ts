// dev-model as a program: `PORT` (4141), `HOST` (127.0.0.1), `LOG_LEVEL` (info) and `CONTEXT_WINDOW` (none) from the environment, log lines as JSON.
import { createLog } from './log.ts';
import { startDevModel } from './start-dev-model.ts';

type DevModelEnv = Readonly<Record<string, string | undefined>>;

export const devModelProgram = {
  name: 'dev-model',
  async run(env: DevModelEnv, writeLine: (line: string) => void) {
    const { PORT = '4141', HOST = '127.0.0.1', LOG_LEVEL, CONTEXT_WINDOW } = env;
    const log = createLog(LOG_LEVEL, writeLine);
    const devModel = await startDevModel({
      port: Number(PORT),
      host: HOST,
      log,
      contextWindow: CONTEXT_WINDOW === undefined ? undefined : Number(CONTEXT_WINDOW),
    });
    log.info({ url: devModel.url }, 'listening');
    return { url: devModel.url, stop: () => devModel.close() };
  },
};
