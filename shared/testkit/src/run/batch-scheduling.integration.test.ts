import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { useBatchScheduling } from './batch-scheduling.ts';

const SCHED_BATCH = 3;
/** Field of /proc/PID/stat, counted after the name of the program. */
const POLICY_FIELD = 38;

const hasPolicies = process.platform === 'linux' && spawnSync('chrt', ['--version']).status === 0;

test.runIf(hasPolicies)('A process and its later children run with the policy SCHED_BATCH', async () => {
  const shell = spawn('chrt', ['--other', '0', 'sh', '-c', 'echo started; read line; sleep 60 & echo $!; wait'], {
    detached: true,
  });
  const { pid = 0 } = shell;
  try {
    await once(shell.stdout, 'data');
    useBatchScheduling(pid);
    shell.stdin.write('\n');
    const [printed] = await once(shell.stdout, 'data');
    const child = Number(String(printed));
    expect([readPolicy(pid), readPolicy(child)]).toEqual([SCHED_BATCH, SCHED_BATCH]);
  } finally {
    process.kill(-pid);
    await once(shell, 'close');
  }
});

test('A process id that does not exist causes no error', () => {
  expect(() => useBatchScheduling(2 ** 22)).not.toThrow();
});

function readPolicy(pid: number): number {
  const [, fields = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ');
  return Number(fields.split(' ')[POLICY_FIELD]);
}
