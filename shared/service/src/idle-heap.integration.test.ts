import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Waits for timers of collections at the start, and allocates until V8 has collected the old generation several times. */
const LOAD = `
  await new Promise((resolve) => setTimeout(resolve, 400));
  console.log('load');
  const kept = [];
  for (let round = 0; round < 300; round += 1) {
    kept.push(Array.from({ length: 20_000 }, (_, item) => ({ item, round })));
    if (kept.length > 60) kept.splice(0, 50);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }`;

/** Runs the load in a process of its own. @returns V8's trace of its memory reducer since the load began */
async function traceReducer(setUp: string): Promise<string | undefined> {
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--trace-memory-reducer',
    // The time after a collection at which V8 looks for idleness.
    '--gc-memory-reducer-start-delay-ms=50',
    '--input-type=module',
    '--eval',
    `${setUp};${LOAD}`,
  ]);
  return stdout.split('load\n')[1];
}

test('a process schedules no collection for its idle time after deferMemoryReducer', async () => {
  const module = JSON.stringify(new URL('idle-heap.ts', import.meta.url).href);
  expect(await traceReducer(`import { deferMemoryReducer } from ${module}; deferMemoryReducer()`)).toBe('');
  expect(await traceReducer('')).toContain('Memory reducer');
});
