// A run that is handed over while its tools are called: calls in progress finish here, the next owner makes the others.
import { toolRequestSchema } from '@millrace/contracts';
import { serve } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { afterEach, expect, test } from 'vitest';
import { makeAnswer } from '../testing/run-states.ts';
import { createTestRun } from '../testing/test-run.ts';
import { judgeCalls, runCalls } from '../run/tool-calls.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const stops: (() => Promise<void> | void)[] = [];
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});

const tool = {
  name: 'count',
  description: 'counts',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.tools.count',
  idempotent: false,
  timeoutMs: 2_000,
};

test('the owner finishes tool calls that it began, and leaves the others to the next owner when the run is handed over', async () => {
  const { bus } = connection;
  const called: string[] = [];
  const serving = serve(bus, {
    subject: bus.subjects.tool('tools', 'count'),
    request: toolRequestSchema,
    handle: async ({ toolCall }) => {
      called.push(toolCall.toolCallId);
      return { sequence: 0, result: toolCall.toolCallId, replica: bus.id };
    },
  });
  const { run, onRecord, leave, close } = createTestRun({ bus, tools: [tool] });
  stops.push(() => serving.drain(1_000), close);
  const ids = Array.from({ length: 12 }, (_, at) => `c${at}`);
  const calls = ids.map((toolCallId) => ({ toolCallId, toolName: 'count', args: {} }));
  run.dispatch({ action: 'step-opened', firstIndex: 0 });
  run.dispatch({ action: 'answer-accepted', answer: makeAnswer(0, '', calls), tools: [tool] });
  await judgeCalls(run);
  // Between the checkpoint that names the begun calls and the calls themselves.
  onRecord(leave);
  expect(await runCalls(run)).toBeUndefined();
  expect(called.toSorted()).toEqual(ids.slice(0, 8).toSorted());
  const { begun = [], results = [] } = run.getState().open ?? {};
  expect([begun.length, results.length]).toEqual([8, 8]);
  expect(await run.handOverIfLeaving()).toEqual({ form: 'hand-over' });
});
