import { MAX_NESTING, type Chunk } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { dataChunk, delta, typesOf } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { createTestRun } from '../testing/test-run.ts';
import { createStageData, takesDataChunks } from './custom-chunks.ts';

const quiet = planEntry('quiet', { stages: ['processInput', 'processOutputStream'] });
const hearing = planEntry('hearing', { stages: ['processInput', 'processOutputStream'], processDataParts: true });

function dataOf() {
  const { run, logged } = createTestRun();
  const out: string[] = [];
  const data = createStageData(run, async (chunks) => {
    out.push(...typesOf(chunks));
    return undefined;
  });
  return { data, out, logged };
}

test('custom chunks go out while the stage is still at work', async () => {
  const { data, out } = dataOf();
  data.write([dataChunk('now')], [quiet]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(out).toEqual(['data-now']);
});

test('custom chunks that an entry at work would get wait until it is done: its state is with it', async () => {
  const { data, out } = dataOf();
  data.write([dataChunk('later')], [quiet, hearing]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(out).toEqual([]);
  await data.flush();
  expect(out).toEqual(['data-later']);
});

test('what a stage writes and is no custom chunk is left out and logged', async () => {
  const { data, out, logged } = dataOf();
  data.write([delta('text'), dataChunk('good')], [quiet]);
  await data.flush();
  expect(out).toEqual(['data-good']);
  expect(logged).toEqual([expect.stringContaining('left out')]);
});

test('an entry hears custom chunks when it asked for them and has the output stream', () => {
  expect([quiet, hearing, planEntry('other', { processDataParts: true })].map(takesDataChunks)).toEqual([
    false,
    true,
    false,
  ]);
});

test('custom chunks are of this run, whatever run they name, and what is nested too deep is left out', async () => {
  const { run, logged } = createTestRun();
  const out: Chunk[] = [];
  const data = createStageData(run, async (chunks) => (out.push(...chunks), undefined));
  let deep: unknown = 'x';
  for (let level = 0; level <= MAX_NESTING; level++) deep = [deep];
  data.write([{ ...dataChunk('a'), runId: 'another-run', from: 'USER' }, dataChunk('deep', deep)], []);
  await data.flush();
  expect(out).toEqual([dataChunk('a')]);
  expect(logged).toHaveLength(1);
});
