// Answers of a tool's replica other than a result, as the model receives them.
import { MillraceError, toolRequestSchema, type ErrorCode } from '@millrace/contracts';
import { serve } from '@millrace/bus';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { lookTool } from '../testing/look-tool.ts';
import { makeAnswer } from '../testing/run-states.ts';
import { createTestRun } from '../testing/test-run.ts';
import { closeStep } from '../run/close-step.ts';
import { judgeCalls, runCalls } from '../run/tool-calls.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

test.each(['of-tomorrow', 'constructor'])('an error %s has that code', async (code) => {
  const { bus } = connection;
  const handle = async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a code as another version may answer it
    throw new MillraceError(code as ErrorCode, 'no');
  };
  const serving = serve(bus, { subject: bus.subjects.tool('tools', 'look'), request: toolRequestSchema, handle });
  const tools = [lookTool()];
  const { run } = createTestRun({ bus, tools });
  run.dispatch({ action: 'step-opened', firstIndex: 0 });
  const call = { toolCallId: 'c1', toolName: 'look', args: {} };
  run.dispatch({ action: 'answer-accepted', answer: makeAnswer(0, '', [call]), tools });
  expect((await judgeCalls(run)) ?? (await runCalls(run)) ?? (await closeStep(run))).toBeUndefined();
  expect(run.getState().steps[0]?.toolResults).toMatchObject([{ result: { error: { code } } }]);
  await serving.drain(1_000);
});
