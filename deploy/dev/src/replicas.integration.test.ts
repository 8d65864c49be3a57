// The replicas of a service whose process ends at once.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { startReplicas } from './replicas.ts';
import { scratchDir } from './testing/scratch-dir.ts';

test('A scale counts no replica that stays down, and is refused if the next one does not start either', async () => {
  const dir = await scratchDir();
  const main = join(dir, 'main.ts');
  await writeFile(main, 'process.exit(1);');
  const replicas = startReplicas({
    spec: { name: 'broken', main, env: {} },
    logFile: join(dir, 'broken.log'),
    report: () => undefined,
    policy: { firstDelayMs: 1, maxDelayMs: 1, maxDeaths: 2, windowMs: 60_000 },
  });
  onTestFinished(() => replicas.stop());
  await replicas.gaveUp;
  await expect(replicas.scale(1)).rejects.toMatchObject({ code: 'config-invalid' });
});
