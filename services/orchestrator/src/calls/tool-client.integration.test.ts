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

/** Calls a tool with a replica that answers as `handle` does, and returns its result. */
async function callLook(handle: () => Promise<object>) {
  const { bus } = connection;
  const serving = serve(bus, { subject: bus.subjects.tool('tools', 'look'), request: toolRequestSchema, handle });
  const tools = [lookTool()];
  const { run } = createTestRun({ bus, tools });
  run.dispatch({ action: 'step-opened', firstIndex: 0 });
  const call = { toolCallId: 'c1', toolName: 'look', args: {} };
  run.dispatch({ action: 'answer-accepted', answer: makeAnswer(0, '', [call]), tools });
  expect((await judgeCalls(run)) ?? (await runCalls(run)) ?? (await closeStep(run))).toBeUndefined();
  await serving.drain(1_000);
  return run.getState().steps[0]?.toolResults[0];
}

test.each(['of-tomorrow', 'constructor'])('an error %s has that code', async (code) => {
  const answered = await callLook(async () => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a code as another version may answer it
    throw new MillraceError(code as ErrorCode, 'no');
  });
  expect(answered).toMatchObject({ result: { error: { code } } });
});

test.each([
  ['a long result with a short text', 'x'.repeat(600_000), '"x"'],
  ['a short result with a long text', 'x', `"x"${' '.repeat(600_000)}`],
])('%s is too large', async (_what, result, resultText) => {
  const answered = await callLook(async () => ({ sequence: 0, replica: 'r1', result, resultText }));
  expect(answered).toMatchObject({ isError: true, result: { error: { code: 'message-too-large' } } });
});
