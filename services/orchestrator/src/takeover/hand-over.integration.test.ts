// A run that is handed over while its tools are called: calls in progress finish here, the next owner makes the others.
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { makeAnswer } from '../testing/run-states.ts';
import { createTestRun } from '../testing/test-run.ts';
import { serveTool } from '../testing/test-servings.ts';
import { judgeCalls, runCalls } from '../run/tool-calls.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

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
  serveTool(bus, 'count', async ({ toolCall }) => {
    called.push(toolCall.toolCallId);
    return { result: toolCall.toolCallId };
  });
  const { run, onRecord, leave } = createTestRun({ bus, tools: [tool] });
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
