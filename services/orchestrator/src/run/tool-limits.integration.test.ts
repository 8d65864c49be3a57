// The number of a tool's calls in a run, over repeated steps, questions and lost owners.
import { runActionSchema, type RunAction, type RunState, type ToolDefinition, type Verdict } from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { isEnding, SUSPEND } from '../state/interrupt.ts';
import { foldRun } from '../state/run-state.ts';
import { atStage } from '../testing/plan-entries.ts';
import { scriptModel, type Say } from '../testing/scripted-model.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun } from '../testing/test-run.ts';
import { serveTool } from '../testing/test-servings.ts';
import { endRun } from './end-run.ts';
import { runLoop } from './run-loop.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

const book: ToolDefinition = {
  name: 'book',
  description: 'Books.',
  inputSchema: { type: 'object' },
  subject: 'mr.v1.tool.tools.book',
  idempotent: false,
  timeoutMs: 5_000,
};
const bookings = (...ids: string[]): Say => ({
  calls: ids.map((toolCallId) => ({ toolCallId, toolName: 'book', input: '{}' })),
});
const entries = [...atStage('processToolCall', 'calls'), ...atStage('processOutputResult', 'results')];

let made: string[] = [];
type Judges = { calls?: (id: string) => Verdict; results?: () => Verdict };
function serveAll({ calls = () => goOn, results = () => goOn }: Judges): void {
  made = [];
  const { bus } = connection;
  const judge = ({ input }: { input: { toolCall?: { toolCallId: string } | undefined } }) =>
    calls(input.toolCall?.toolCallId ?? '');
  scriptReplica(bus, 'processToolCall', ['calls'], (asked) => [judge(asked)]);
  scriptReplica(bus, 'processOutputResult', ['results'], () => [results()]);
  serveTool(bus, 'book', async ({ toolCall }) => ({ result: made.push(toolCall.toolCallId) }));
}

type Drive = { maxCalls: number; maxSteps?: number; from?: RunState };
async function drive(says: Say[], { maxCalls, maxSteps = 5, from }: Drive) {
  const { models } = scriptModel(...says.slice(from?.modelCalls ?? 0));
  const toolRules = { book: { whenUntrusted: 'allow', resultTrust: 'inherit', maxCalls } } as const;
  const { bus } = connection;
  const driven = createTestRun({
    bus,
    entries,
    models,
    tools: [book],
    toolRules,
    agent: { maxProcessorRetries: 9, maxSteps },
    ...(from && { from }),
  });
  const outcome = await runLoop(driven.run);
  if (outcome === SUSPEND) return { driven, codes: [] };
  if (!isEnding(outcome)) throw new Error('the run did not end');
  const { result } = await endRun(driven.run, outcome);
  const refused = z.object({ error: z.object({ code: z.string() }) });
  const results = result.steps.flatMap(({ toolResults }) => toolResults);
  const codes = results.map((one) => refused.safeParse(one.result).data?.error.code ?? 'done');
  return { driven, codes };
}

/** The state of each checkpoint, read as its next owner reads it. */
function* foldStates(written: readonly RunAction[][]): Generator<RunState> {
  const records = z.array(z.array(runActionSchema)).parse(JSON.parse(JSON.stringify(written)));
  for (const [at] of records.entries()) {
    const state = foldRun(records.slice(0, at + 1).flat());
    if (state) yield state;
  }
}

/** Rejects the result twice, so that its last step is repeated. */
function retryTwice(): () => Verdict {
  let judged = 0;
  return () => (++judged <= 2 ? { type: 'abort', reason: 'again', retry: true } : goOn);
}

test('A call of a repeated step counts towards the maximum of its tool', async () => {
  serveAll({ results: retryTwice() });
  const { codes } = await drive([bookings('a'), bookings('b'), bookings('c'), { text: 'Done.' }], {
    maxCalls: 1,
    maxSteps: 1,
  });
  expect([made, codes]).toEqual([['a'], ['tool-calls-exhausted']]);
});

test('A run that continues from any of its checkpoints makes no call above the maximum', async () => {
  const says = [bookings('a'), bookings('b'), bookings('c'), { text: 'Done.' }];
  serveAll({ results: retryTwice() });
  const { driven } = await drive(says, { maxCalls: 2, maxSteps: 1 });
  expect(made.length).toBe(2);
  let later = 0;
  for (const state of foldStates(driven.records)) {
    const before = made.length;
    const { calls = [], begun = [] } = state.open ?? {};
    await drive(says, { maxCalls: 2, maxSteps: 1, from: state });
    expect(made.length - before).toBeLessThanOrEqual(2 - (state.toolCalls['book'] ?? 0) + calls.length - begun.length);
    if (state.retryCount > 0) later = Math.max(later, state.toolCalls['book'] ?? 0);
  }
  expect(later).toBe(2);
});

test('A denied call does not count', async () => {
  serveAll({ calls: (id) => (id === 'no' ? { type: 'deny', reason: 'no' } : goOn) });
  const { codes } = await drive([bookings('no', 'a', 'b'), bookings('c', 'd'), { text: 'Done.' }], { maxCalls: 3 });
  expect(made.toSorted()).toEqual(['a', 'b', 'c']);
  expect(codes).toEqual(['done', 'done', 'done', 'done', 'tool-calls-exhausted']);
});

test('A call that waits for an approval reserves its place for the later calls of its answer', async () => {
  serveAll({ calls: (id) => (id === 'asked' ? { type: 'suspend', payload: {} } : goOn) });
  const { driven } = await drive([bookings('asked', 'a', 'b'), { text: 'Done.' }], { maxCalls: 2 });
  const { open, pending, toolCalls } = driven.run.getState();
  expect([made, pending.length, toolCalls]).toEqual([['a'], 1, { book: 1 }]);
  expect(open?.results.map(({ position }) => position)).toEqual([2, 1]);
});
