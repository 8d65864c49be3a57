// The dev-model process.
import { devModelProgram } from './service.ts';

const running = await devModelProgram.run(process.env, (line) => console.log(line));
// As the services: the parent is a supervisor.
if (process.connected) process.send?.('up');
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void running.stop());
