// Creates a directory for a test and removes it afterwards.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

export async function scratchDir(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'millrace-servers-'));
  // Servers started in it are stopped by the test; retries cover a file that a dying one still writes.
  onTestFinished(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}
