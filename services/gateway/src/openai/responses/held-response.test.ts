// A response with a reader that leaves between its first content and the next read.
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { startResponse } from './response-changes.ts';
import { reduceResponse } from './response-state.ts';
import { holdResponse, type ResponseFrames } from './responses-stream.ts';

async function* failAfterContent(): ResponseFrames {
  const opened = startResponse('run-1');
  yield { text: 'opening', state: opened };
  const shown = reduceResponse(opened, {
    epoch: 1,
    index: 1,
    chunk: { type: 'text-start', runId: 'run-1', from: 'AGENT', payload: { id: 'text-1' } },
  });
  yield { text: 'content', state: shown.state };
  throw new Error('the reading was stopped');
}

test('An answer that ends before it is read rejects nothing', async () => {
  const rejected: unknown[] = [];
  const note = (reason: unknown) => void rejected.push(reason);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const held = await holdResponse(failAfterContent(), 10_000);
  await held.return();
  await setImmediate();
  expect(rejected).toEqual([]);
});
