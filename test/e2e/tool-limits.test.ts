// The limits that an agent sets for a tool: attempts, time, calls of a run, concurrent calls.
import { defineTool, useProcessors, useSharedStack } from '@millrace/testkit';
import { beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { applying } from './apply-agent.ts';
import { script } from './script.ts';

let calls = 0;
let running = 0;
let most = 0;
let failures = 0;
beforeEach(() => {
  [calls, running, most, failures] = [0, 0, 0, 0];
});
const makeTool = (name: string, idempotent: boolean) =>
  defineTool({
    name,
    description: 'Counts its calls, and fails as often as the test asks.',
    effect: 'read',
    idempotent,
    inputSchema: z.object({ waitMs: z.number().default(0) }),
    async execute({ waitMs }) {
      calls += 1;
      running += 1;
      most = Math.max(most, running);
      await new Promise((resolve) => void setTimeout(resolve, waitMs));
      running -= 1;
      if (calls <= failures) throw new Error('The backend is away.');
      return { calls };
    },
  });
const stack = useSharedStack();
useProcessors(stack, [], 'limited-tools', [makeTool('limited-safe', true), makeTool('limited-once', false)]);
const agent = applying(stack);

/** Runs the calls in one answer, or each in a step of its own. */
async function run(name: string, entry: object, count: number, { waitMs = 0, isApart = false } = {}) {
  await agent(name, { tools: [entry], maxSteps: 5 });
  const { use } = z.object({ use: z.string() }).parse(entry);
  const one = { name: use, args: { waitMs } };
  const steps = isApart
    ? Array.from({ length: count }, () => ({ toolCalls: [one] }))
    : [{ toolCalls: Array.from({ length: count }, () => one) }];
  const started = await stack.client.start(name, script(...steps, { text: 'Done.' }));
  const result = await started.result();
  const events = (await stack.client.runs.events(started.runId)).filter(({ event }) => event === 'tool');
  return { status: result.status, results: result.steps.flatMap(({ toolResults }) => toolResults), events };
}

describe('attempts', () => {
  test('A failed call of an idempotent tool is repeated, and its event has the number of attempts', async () => {
    failures = 2;
    const { results, events } = await run('tool-attempts', { use: 'limited-safe', attempts: 3 }, 1);
    expect([calls, results]).toMatchObject([3, [{ isError: false, result: { calls: 3 } }]]);
    expect(events).toMatchObject([{ attempts: 3, isError: false }]);
  });

  test('The last error is the result if no attempt succeeds, and without attempts the call is made once', async () => {
    failures = 9;
    const { results } = await run('tool-attempts-spent', { use: 'limited-safe', attempts: 2 }, 1);
    expect([calls, results]).toMatchObject([2, [{ isError: true, result: { error: { code: 'tool-failed' } } }]]);
    calls = 0;
    await run('tool-attempts-none', { use: 'limited-safe' }, 1);
    expect(calls).toBe(1);
  });

  test('More than one attempt is refused for a tool that is not idempotent', async () => {
    await expect(
      agent('tool-attempts-unsafe', { tools: [{ use: 'limited-once', attempts: 2 }] }),
    ).rejects.toMatchObject({
      issues: [expect.objectContaining({ path: 'tools[0].attempts' })],
    });
  });
});

test('A call ends at the time limit of the agent', async () => {
  const { results } = await run('tool-time', { use: 'limited-once', timeoutMs: 100 }, 1, { waitMs: 2_000 });
  expect(results).toMatchObject([{ isError: true, result: { error: { code: 'tool-timeout' } } }]);
});

test.each([false, true])(
  'Calls above the limit of a run are not made, and the model reads the reason (in steps of their own: %s)',
  async (isApart) => {
    const { results, status } = await run(`tool-most-${isApart}`, { use: 'limited-once', maxCalls: 2 }, 4, { isApart });
    expect([calls, status]).toEqual([2, 'finished']);
    expect(results.map(({ isError }) => isError)).toEqual([false, false, true, true]);
    expect(results[3]).toMatchObject({ result: { error: { code: 'tool-calls-exhausted' } } });
  },
);

test('At most as many calls of an answer run at once as the agent allows', async () => {
  await run('tool-one', { use: 'limited-once', concurrency: 2 }, 6, { waitMs: 50 });
  expect([calls, most]).toEqual([6, 2]);
  [calls, most] = [0, 0];
  await run('tool-all', { use: 'limited-once' }, 6, { waitMs: 200 });
  expect([calls, most > 2]).toEqual([6, true]);
});
