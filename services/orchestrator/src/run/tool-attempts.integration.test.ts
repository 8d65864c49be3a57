// The bound of a tool's progress over the attempts of one call.
import { type ToolDefinition } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { dataChunk } from '../testing/chunks.ts';
import { makeAnswer } from '../testing/run-states.ts';
import { serveTool } from '../testing/test-servings.ts';
import { createTestRun } from '../testing/test-run.ts';
import { judgeCalls, runCalls } from './tool-calls.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const sure: ToolDefinition = {
  name: 'sure',
  description: 'Fails.',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.tools.sure',
  idempotent: true,
  timeoutMs: 5_000,
};

test('The attempts of a call share one bound of progress, and none follows the one that exceeds it', async () => {
  const { bus } = connection;
  let attempts = 0;
  serveTool(bus, 'sure', async (_request, context) => {
    attempts += 1;
    for (let n = 0; n < 600; n++) context.respond({ sequence: n, progress: [dataChunk('x')] });
    return { sequence: 600, error: { code: 'tool-failed', message: 'broken' } };
  });
  const toolRules = { sure: { whenUntrusted: 'allow', resultTrust: 'inherit', attempts: 3 } } as const;
  const { run, published } = createTestRun({ bus, tools: [sure], toolRules });
  run.dispatch({ action: 'step-opened', firstIndex: 0 });
  const answer = makeAnswer(0, '', [{ toolCallId: 'a', toolName: 'sure', args: {} }]);
  run.dispatch({ action: 'answer-accepted', answer, tools: [sure] });
  await judgeCalls(run);
  await runCalls(run);
  expect(run.getState().open?.results).toMatchObject([{ result: { error: { code: 'tool-progress-too-large' } } }]);
  expect(attempts).toBe(2);
  expect(published.length).toBeLessThanOrEqual(1_000);
});
