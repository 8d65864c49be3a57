// The dev-model process.
import { devModelProgram } from './service.ts';

const running = await devModelProgram.run(process.env, (line) => console.log(line));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.stop());
