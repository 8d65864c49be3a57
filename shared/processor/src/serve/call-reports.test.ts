// The replica logs the place of an error that a method threw, and never its message.
import { callContext, callEntry, stageCall } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { createCallReports } from './call-reports.ts';
import { callStage } from './call-stage.ts';
import { createHostedProcessors } from './hosted-processor.ts';
import { defineWithMethods } from '../testing/one-method.ts';
import { delta, streaming, streamThrough } from '../testing/streaming.ts';

const SECRET = 'ada@example.com';

function collectReports() {
  const lines: object[] = [];
  const keep = (fields: object, message: string) => void lines.push({ ...fields, message });
  const log = { debug: keep, info: keep, warn: keep, error: keep };
  return { lines, context: createCallReports(log, { run: 'run-1' }) };
}

test('An error of a method is logged with run, entry, class and place, without its message', async () => {
  const { lines, context } = collectReports();
  const processInput = () => {
    throw new TypeError(`cannot read ${SECRET}`);
  };
  const hosted = createHostedProcessors([defineWithMethods({ processInput })]);
  const { verdicts } = await callStage(stageCall('processInput', [callEntry('one')]), hosted, callContext(context));
  expect(verdicts).toMatchObject([{ type: 'failure', message: expect.stringContaining(SECRET) }]);
  expect(lines).toEqual([
    {
      run: 'run-1',
      entry: 'one',
      error: 'TypeError',
      at: expect.arrayContaining([expect.stringMatching(/call-reports\.test\.ts\S*:\d+:\d+/)]),
      message: 'a processor failed',
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain(SECRET);
});

test('An error of a method of the output stream is logged once', async () => {
  const { lines, context } = collectReports();
  const broken = streaming('broken', () => {
    throw new Error(SECRET);
  });
  await streamThrough([broken], [delta('a'), delta('b')], context);
  expect(lines).toMatchObject([{ entry: 'broken', error: 'Error', message: 'a processor failed' }]);
  expect(JSON.stringify(lines)).not.toContain(SECRET);
});

test('A stop is no failure, and is not logged', async () => {
  const { lines, context } = collectReports();
  const guard = streaming('guard', ({ abort }) => abort(SECRET));
  await streamThrough([guard], [delta('a')], context);
  expect(lines).toEqual([]);
});

test('The error of a cancelled call is the cancellation, and is not logged', async () => {
  const { lines, context } = collectReports();
  const cancel = new AbortController();
  const processInput = () => cancel.abort();
  const hosted = createHostedProcessors([defineWithMethods({ processInput })]);
  const call = stageCall('processInput', [callEntry('one')]);
  const { verdicts } = await callStage(call, hosted, callContext({ ...context, signal: cancel.signal }));
  expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-timeout' }]);
  expect(lines).toEqual([]);
});
