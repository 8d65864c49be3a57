import { isEnding } from '../state/interrupt.ts';
// A run that is lost after any of its checkpoints continues to the same end, and nothing is done twice.
import {
  runActionSchema,
  buildTextMessage,
  type RunAction,
  type MessageOp,
  type RunState,
  type Stage,
  type StageInput,
  type Verdict,
} from '@millrace/contracts';
import { useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { foldRun } from '../state/run-state.ts';
import { makeText } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { scriptModel, type Say } from '../testing/scripted-model.ts';
import { goOn, scriptReplica } from '../testing/scripted-replica.ts';
import { createTestRun, type TestRunOptions } from '../testing/test-run.ts';
import { serveTool } from '../testing/test-servings.ts';
import { endRun } from './end-run.ts';
import { runLoop } from './run-loop.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');

const tool = (name: string, idempotent: boolean) => ({
  name,
  description: name,
  inputSchema: { type: 'object' },
  subject: `mr.v1.tool.tools.${name}`,
  idempotent,
  timeoutMs: 5_000,
});
const tools = [tool('book', false), tool('note', true)];
const call = (toolCallId: string, toolName: string) => ({ toolCallId, toolName, input: '{}' });
/** A rude answer that is repeated, two steps with tools, an answer. */
const says: Say[] = [
  { text: 'Rude.' },
  { text: 'One. ', calls: [call('a', 'book'), call('b', 'note')] },
  { text: 'Two. ', calls: [call('a', 'book')] },
  { text: 'Done.' },
];
const entries = [
  planEntry('input', { stages: ['processInput'] }),
  planEntry('rude', { stages: ['processOutputStep'] }),
  planEntry('calls', { stages: ['processToolCall'] }),
  planEntry('result', { stages: ['processOutputResult'], reads: ['response'] }),
  planEntry('memory', { stages: ['processOutputResult'], reads: ['response'], memory: true }),
];

/** The calls of each party since the last `clear`. */
const asked: string[] = [];
const times = (what: string): number => asked.filter((one) => one === what).length;

function serveAll(): void {
  const { bus } = connection;
  const judge = (stage: Stage, name: string, verdict: (text: string) => Verdict = () => goOn) => {
    scriptReplica(bus, stage, [name], ({ input }) => {
      asked.push(name);
      return [verdict(input.text ?? '')];
    });
  };
  judge('processInput', 'input', () => ({ type: 'continue', state: { seen: true } }));
  judge('processOutputStep', 'rude', (text) =>
    text === 'Rude.' ? { type: 'abort', reason: 'rude', retry: true } : goOn,
  );
  judge('processToolCall', 'calls', () => ({ type: 'continue', changes: { args: { judged: true } } }));
  judge('processOutputResult', 'result');
  judge('processOutputResult', 'memory');
  for (const { name } of tools) {
    serveTool(bus, name, async () => {
      asked.push(name);
      return { result: { done: name } };
    });
  }
}

async function driveFrom(from?: RunState, more: Partial<TestRunOptions> = {}) {
  asked.length = 0;
  const { models, asked: prompts } = scriptModel(...says.slice(from?.modelCalls ?? 0));
  const options = { bus: connection.bus, tools, entries, models, agent: { maxProcessorRetries: 1 }, ...more };
  const made = createTestRun({ ...options, ...(from && { from }) });
  made.run.transcript.restore(0);
  const outcome = await runLoop(made.run);
  if (!isEnding(outcome)) throw new Error('the run did not end');
  const { result } = await endRun(made.run, outcome);
  return { made, result, modelCalls: prompts.length };
}

/** The run as each checkpoint has stored it, read back as its next owner reads it. */
function* foldStates(written: readonly RunAction[][]): Generator<RunState> {
  const records = z.array(z.array(runActionSchema)).parse(JSON.parse(JSON.stringify(written)));
  for (const [at] of records.entries()) {
    const state = foldRun(records.slice(0, at + 1).flat());
    if (!state) throw new Error('the records do not begin the run');
    yield state;
  }
}

test('a run continues from each of its checkpoints to the same end, and repeats nothing that was stored', async () => {
  serveAll();
  const { made, result, modelCalls } = await driveFrom();
  expect(result).toMatchObject({ status: 'finished', text: 'One. Two. Done.' });
  expect({ modelCalls, book: times('book'), note: times('note'), memory: times('memory') }).toEqual({
    modelCalls: 4,
    book: 2,
    note: 1,
    memory: 1,
  });
  // The input, the rewind, three answers, two steps of calls with their results, the result.
  expect(made.records.length).toBeGreaterThanOrEqual(9);

  for (const state of foldStates(made.records)) {
    const resumed = await driveFrom(state);
    expect(resumed.result).toMatchObject({ status: 'finished', text: 'One. Two. Done.' });
    expect(resumed.modelCalls).toBe(4 - state.modelCalls);
    expect(times('input')).toBe(0);
    expect(times('result')).toBe(state.finish ? 0 : 1);
    const steps = state.steps.length;
    const begun = state.open?.closed ? 0 : (state.open?.begun.length ?? 0);
    expect(times('book')).toBe(Math.max(2 - Math.min(steps, 2) - begun, 0));
    expect(resumed.result.usage).toEqual(result.usage);
  }
});

test('a completely buffered run publishes from each of its checkpoints the answers as its processors left them', async () => {
  serveAll();
  const { bus } = connection;
  const first = ({ conversation }: StageInput) => conversation?.entries[0]?.message.id ?? '';
  scriptReplica(bus, 'processOutputStep', ['words'], ({ input }) => {
    const { text = '' } = input;
    const ops: MessageOp[] = [{ op: 'replace', message: buildTextMessage(first(input), 'assistant', 'Uno. ') }];
    return [{ type: 'continue', changes: text === 'Two. ' ? { text: 'Due. ' } : text === 'Done.' ? { ops } : {} }];
  });
  await bus.nc.flush();
  const words = planEntry('words', { stages: ['processOutputStep'], reads: ['response'] });
  const held = { entries: [...entries, words], agent: { maxProcessorRetries: 1, release: 'result' as const } };
  const { made, result } = await driveFrom(undefined, held);
  expect([result.text, makeText(made.published)]).toEqual(['Uno. Due. Done.', 'Uno. Due. Done.']);
  for (const state of foldStates(made.records)) {
    const resumed = await driveFrom(state, held);
    expect([resumed.result.text, makeText(resumed.made.published)]).toEqual(['Uno. Due. Done.', 'Uno. Due. Done.']);
  }
});
