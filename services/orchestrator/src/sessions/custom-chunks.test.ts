import { MAX_NESTING, type Chunk } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { dataChunk, delta, listTypes } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { createTestRun } from '../testing/test-run.ts';
import { createStageData, takesDataChunks } from './custom-chunks.ts';

const quiet = planEntry('quiet', { stages: ['processInput', 'processOutputStream'] });
const hearing = planEntry('hearing', { stages: ['processInput', 'processOutputStream'], processDataParts: true });

function collectData() {
  const { run, logged } = createTestRun();
  const out: string[] = [];
  const data = createStageData(run, async (chunks) => {
    out.push(...listTypes(chunks));
    return undefined;
  });
  return { data, out, logged };
}

test('custom chunks are published while the stage is still at work', async () => {
  const { data, out } = collectData();
  data.write([dataChunk('now')], [quiet]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(out).toEqual(['data-now']);
});

test('custom chunks for an entry at work wait until it is done, because its state is with the call', async () => {
  const { data, out } = collectData();
  data.write([dataChunk('later')], [quiet, hearing]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(out).toEqual([]);
  await data.flush();
  expect(out).toEqual(['data-later']);
});

test('a chunk of a stage that is no custom chunk is dropped and logged', async () => {
  const { data, out, logged } = collectData();
  data.write([delta('text'), dataChunk('good')], [quiet]);
  await data.flush();
  expect(out).toEqual(['data-good']);
  expect(logged).toEqual([expect.stringContaining('dropped')]);
});

test('an entry receives custom chunks if it requested them and has the output stream', () => {
  expect([quiet, hearing, planEntry('other', { processDataParts: true })].map(takesDataChunks)).toEqual([
    false,
    true,
    false,
  ]);
});

test('custom chunks belong to this run, whatever run they name, and chunks that are nested too deep are dropped', async () => {
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
