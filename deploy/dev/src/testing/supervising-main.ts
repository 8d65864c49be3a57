// A process that supervises fake services, for tests that kill it: prints their process ids and keeps running.
//   node supervising-main.ts DIRECTORY [BEHAVIOURS]
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { superviseService } from '../supervise-service.ts';

const [directory = '', behaviours = ''] = process.argv.slice(2);
const service = superviseService({
  spec: {
    name: 'fake',
    main: join(import.meta.dirname, 'fake-service.ts'),
    env: { PATH: process.env['PATH'], FAKE: behaviours },
  },
  logFile: join(directory, 'fake.log'),
  report: (line) => process.stderr.write(`${line}\n`),
});
while (service.readPid() === undefined) await pause(10);
process.stdout.write(`${JSON.stringify({ pid: service.readPid() })}\n`);
