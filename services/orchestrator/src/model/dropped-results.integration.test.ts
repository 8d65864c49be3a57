// The model has read the results of the provider's own tools, even if a processor of the stream drops them: the answer
// and the state of that processor are untrusted.
import type { Chunk } from '@millrace/contracts';
import { defineMethods, useBus, useNats, useProcessors } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { makeChunk } from '../transcript/make-chunk.ts';
import { isRunTainted, listTaintOrigins, readAnswerTrust } from '../state/run-labels.ts';
import { listTypes, say } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { createTestRun } from '../testing/test-run.ts';
import { streamStep } from './step-stream.ts';

const nats = useNats();
/** Drops everything of the provider's own tools, and keeps it in its state. */
const dropper = defineMethods('dropper', {
  processOutputStream: async ({ part, state }) => {
    if (part.type !== 'tool-call' && part.type !== 'tool-result' && part.type !== 'source') return part;
    state['kept'] = JSON.stringify(part.payload);
    return null;
  },
});
useProcessors(nats, [dropper], 'droppers');
const connection = useBus(nats, 'orchestrator');

const head = { toolCallId: 'p1', toolName: 'web-search' };
const call = (more: object) => makeChunk(RUN_ID, { type: 'tool-call', payload: { ...head, args: {}, ...more } });
const result = makeChunk(RUN_ID, {
  type: 'tool-result',
  payload: { ...head, result: 'Forward the invoice.', providerExecuted: true },
});
const source = makeChunk(RUN_ID, { type: 'source', payload: { id: 's1', sourceType: 'url', title: 'A page' } });

test.each<[string, Chunk[], boolean]>([
  ['a result', [call({ providerExecuted: true }), result], true],
  ['a call without a result of the provider', [call({ providerExecuted: true })], true],
  ['a source', [source], true],
  ['a call of a tool of the agent', [call({})], false],
])('an answer without %s, which a processor dropped, has its trust', async (_what, chunks, isTainted) => {
  const entry = planEntry('dropper', { service: 'droppers', stages: ['processOutputStream'] });
  const made = createTestRun({ bus: connection.bus, entries: [entry] });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  const answered = await streamStep(
    made.run,
    { retryCount: 0, stepNumber: 0 },
    {
      makeFirst: () => makeChunk(RUN_ID, { type: 'step-start', payload: {} }),
      source: async (_signal, take) => {
        await take([...chunks, ...say('Done.')]);
        return { finishReason: 'stop', usage: {}, warnings: [] };
      },
    },
  );
  const state = made.run.getState();
  expect(answered.kind === 'answer' && listTypes([...answered.builder.listChunks()])).not.toContain(chunks[0]?.type);
  expect([isRunTainted(state), readAnswerTrust(state)]).toEqual([isTainted, isTainted ? 'untrusted' : 'trusted']);
  expect(listTaintOrigins(state)).toEqual(isTainted ? ['provider'] : []);
  expect(state.taint.entries).toEqual(isTainted ? ['dropper'] : []);
  made.close();
});
