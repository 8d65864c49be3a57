// What becomes of a tool's result that the output stream's processors change, drop or reject: the step is closed with what they let
// through, or not at all.
import { messagesOf, type JsonValue, type ToolResult } from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { typesOf } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { answerOf } from '../testing/run-states.ts';
import { useOpened } from '../testing/opened.ts';
import { createTestRun, type TestRun } from '../testing/test-run.ts';
import { closeStep } from './close-step.ts';
import { endRun } from './end-run.ts';

const nats = useNats();
const filter = defineProcessor({
  id: 'filter',
  description: 'does to a result with a secret what its option says',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ does: z.enum(['abort', 'halt', 'retry', 'redact', 'drop', 'double']) }),
  create: ({ does }) => ({
    id: 'filter',
    processOutputStream: async ({ part, abort, halt }) => {
      if (part.type !== 'tool-result' || !JSON.stringify(part.payload.result).includes('secret')) return part;
      if (does === 'abort') return abort('a result');
      if (does === 'retry') return abort('a result', { retry: true });
      if (does === 'halt') return halt('Sorry.');
      if (does === 'drop') return null;
      const redacted = { ...part, payload: { ...part.payload, result: 'xxx' } };
      return does === 'double' ? [redacted, redacted] : redacted;
    },
  }),
});
useProcessors(nats, [filter], 'guards');
const connection = useBus(nats, 'orchestrator');
const { runs } = useOpened();

const tool = { name: 'look', description: '', inputSchema: {}, subject: 's', idempotent: false, timeoutMs: 1_000 };
const call = (toolCallId: string) => ({ toolCallId, toolName: 'look', args: { q: toolCallId } });
const resultOf = (toolCallId: string, position: number, result: JsonValue, more: Partial<ToolResult> = {}) => ({
  ...call(toolCallId),
  position,
  result,
  isError: false,
  ...more,
});

/** A run whose first step has its results, raw. */
function stepWith(does: string, ids: string[], results: ReturnType<typeof resultOf>[]) {
  const entries = [planEntry('filter', { stages: ['processOutputStream'], options: { does } })];
  const made = createTestRun({ bus: connection.bus, entries, tools: [tool], agent: { maxProcessorRetries: 1 } });
  runs.push(made);
  const answer = answerOf(0, 'Let me see.', ids.map(call));
  made.run.dispatch({ action: 'input-passed' });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  made.run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message: answer.message }] });
  made.run.dispatch({ action: 'answer-accepted', answer, tools: [tool] });
  made.run.dispatch({ action: 'calls-judged', calls: [], denied: results });
  return made;
}
const secret = () => [resultOf('a', 0, 'the secret'), resultOf('b', 1, 'nothing')];
const closedResults = ({ run }: TestRun) => run.state().steps[0]?.toolResults.map(({ result }) => result);

describe.each(['abort', 'halt'])('a tool result that is rejected by %s', (does) => {
  test('is in no step, no message, no chunk and no result', async () => {
    const made = stepWith(does, ['a', 'b'], secret());
    const interrupt = await closeStep(made.run);
    expect(interrupt).toMatchObject({ kind: 'end', ending: { rejected: { what: 'step', from: 0 } } });
    if (interrupt?.kind !== 'end') throw new Error('the run went on');
    const ended = await endRun(made.run, interrupt.ending);
    const { steps, conversation } = made.run.state();
    expect(steps).toEqual([]);
    const seen = JSON.stringify([ended, made.published, messagesOf(conversation, 'response')]);
    expect(seen).not.toContain('secret');
  });
});

test('a tool result that is rejected with a retry has its step asked for again', async () => {
  const made = stepWith('retry', ['a', 'b'], secret());
  expect(await closeStep(made.run)).toEqual({ kind: 'rewind', to: 'step', feedback: 'a result' });
  expect(made.run.state().steps).toEqual([]);
});

describe('a step', () => {
  test('is closed with what a processor of the stream alone has redacted', async () => {
    const made = stepWith('redact', ['a', 'b'], secret());
    expect(await closeStep(made.run)).toBeUndefined();
    expect(closedResults(made)).toEqual(['xxx', 'nothing']);
    expect(JSON.stringify(made.run.state().conversation)).not.toContain('secret');
    expect(typesOf(made.published)).toEqual(['tool-result', 'tool-result', 'step-finish']);
  });

  test('has a withheld result for one that was dropped, and the model is told', async () => {
    const made = stepWith('drop', ['a', 'b'], secret());
    await closeStep(made.run);
    expect(closedResults(made)).toMatchObject([{ error: { code: 'tool-result-withheld' } }, 'nothing']);
    expect(typesOf(made.published)).toEqual(['tool-result', 'step-finish']);
  });

  test('gives two calls of one id each its own result', async () => {
    const made = stepWith('redact', ['a', 'a'], [resultOf('a', 1, 'nothing'), resultOf('a', 0, 'the secret')]);
    await closeStep(made.run);
    expect(closedResults(made)).toEqual(['xxx', 'nothing']);
  });

  test('takes one result for a call, however many a processor makes of it', async () => {
    const made = stepWith('double', ['a', 'b'], secret());
    await closeStep(made.run);
    expect(closedResults(made)).toEqual(['xxx', 'nothing']);
  });

  test('keeps errors and denials what they are', async () => {
    const denial = { result: { denied: true, reason: 'no', code: 'c' }, isError: true, denied: true };
    const error = { error: { code: 'tool-failed', message: 'broken' } };
    const results = [resultOf('a', 0, null, denial), resultOf('b', 1, error, { isError: true })];
    const made = stepWith('redact', ['a', 'b'], results);
    await closeStep(made.run);
    expect(made.run.state().steps[0]?.toolResults).toEqual([
      { ...call('a'), ...denial },
      { ...call('b'), result: error, isError: true },
    ]);
  });
});
