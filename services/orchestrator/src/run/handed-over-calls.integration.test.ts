// The calls of a step whose run is handed over to another orchestrator.
import { type ToolDefinition } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { makeAnswer } from '../testing/run-states.ts';
import { serveTool } from '../testing/test-servings.ts';
import { createTestRun } from '../testing/test-run.ts';
import { judgeCalls, runCalls } from './tool-calls.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const makeTool = (name: string, idempotent: boolean): ToolDefinition => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  subject: `mr.v1.tool.tools.${name}`,
  idempotent,
  timeoutMs: 2_000,
});
const tools = [makeTool('once', false), makeTool('sure', true)];

test.each([
  ['behind', ['sure', 'once']],
  ['before', ['once', 'sure']],
])('A begun call %s one that may be repeated is made before the run is handed over', async (_where, names) => {
  const { bus } = connection;
  const made: string[] = [];
  serveTool(bus, 'once', async ({ toolCall }) => {
    made.push(toolCall.toolCallId);
    return { result: 1 };
  });
  const { run, leave, onRecord } = createTestRun({ bus, tools });
  const calls = names.map((toolName) => ({ toolCallId: toolName, toolName, args: {} }));
  run.dispatch({ action: 'step-opened', firstIndex: 0 });
  run.dispatch({ action: 'answer-accepted', answer: makeAnswer(0, '', calls), tools });
  onRecord(leave);
  await judgeCalls(run);
  await runCalls(run);
  expect([made, run.getState().open?.results.length]).toEqual([['once'], 1]);
});
