import { isEnding } from '../state/interrupt.ts';
// Tool results that the output stream's processors change, drop or reject: the step is closed with the passed results,
// or not at all.
import { selectMessages, type JsonValue, type ToolResult } from '@millrace/contracts';
import { defineProcessor, useBus, useNats, useProcessors } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { listTypes } from '../testing/chunks.ts';
import { planEntry } from '../testing/plan-entries.ts';
import { makeAnswer } from '../testing/run-states.ts';
import { createTestRun, type TestRun } from '../testing/test-run.ts';
import { closeStep } from './close-step.ts';
import { endRun } from './end-run.ts';

const nats = useNats();
const filter = defineProcessor({
  id: 'filter',
  description: 'applies its option to a result with a secret',
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

const tool = { name: 'look', description: '', inputSchema: {}, subject: 's', idempotent: false, timeoutMs: 1_000 };
const call = (toolCallId: string) => ({ toolCallId, toolName: 'look', args: { q: toolCallId } });
const makeResult = (toolCallId: string, position: number, result: JsonValue, more: Partial<ToolResult> = {}) => ({
  ...call(toolCallId),
  position,
  result,
  isError: false,
  ...more,
});

/** A run with raw results in its first step. */
function stepWith(does: string, ids: string[], results: ReturnType<typeof makeResult>[]) {
  const entries = [planEntry('filter', { stages: ['processOutputStream'], options: { does } })];
  const made = createTestRun({ bus: connection.bus, entries, tools: [tool], agent: { maxProcessorRetries: 1 } });
  const answer = makeAnswer(0, 'Let me see.', ids.map(call));
  made.run.dispatch({ action: 'input-passed' });
  made.run.dispatch({ action: 'step-opened', firstIndex: 0 });
  made.run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message: answer.message }] });
  made.run.dispatch({ action: 'answer-accepted', answer, tools: [tool] });
  made.run.dispatch({ action: 'calls-judged', calls: [], denied: results });
  return made;
}
const secret = () => [makeResult('a', 0, 'the secret'), makeResult('b', 1, 'nothing')];
const closedResults = ({ run }: TestRun) => run.getState().steps[0]?.toolResults.map(({ result }) => result);

describe.each(['abort', 'halt'])('a tool result that is rejected by %s', (does) => {
  test('is in no step, message, chunk or result', async () => {
    const made = stepWith(does, ['a', 'b'], secret());
    const interrupt = await closeStep(made.run);
    expect(interrupt).toMatchObject({ rejected: { what: 'step', from: 0 } });
    if (!(interrupt && isEnding(interrupt))) throw new Error('the run went on');
    const ended = await endRun(made.run, interrupt);
    const { steps, conversation } = made.run.getState();
    expect(steps).toEqual([]);
    const seen = JSON.stringify([ended, made.published, selectMessages(conversation, 'response')]);
    expect(seen).not.toContain('secret');
  });
});

test('a tool result that is rejected with a retry repeats its step', async () => {
  const made = stepWith('retry', ['a', 'b'], secret());
  expect(await closeStep(made.run)).toEqual({ form: 'rewind', to: 'step', feedback: 'a result' });
  expect(made.run.getState().steps).toEqual([]);
});

describe('a step', () => {
  test('is closed with the redaction of a stream processor', async () => {
    const made = stepWith('redact', ['a', 'b'], secret());
    expect(await closeStep(made.run)).toBeUndefined();
    expect(closedResults(made)).toEqual(['xxx', 'nothing']);
    expect(JSON.stringify(made.run.getState().conversation)).not.toContain('secret');
    expect(listTypes(made.published)).toEqual(['tool-result', 'tool-result', 'step-finish']);
  });

  test('has a withheld result for a dropped one, and the model receives that', async () => {
    const made = stepWith('drop', ['a', 'b'], secret());
    await closeStep(made.run);
    expect(closedResults(made)).toMatchObject([{ error: { code: 'tool-result-withheld' } }, 'nothing']);
    expect(listTypes(made.published)).toEqual(['tool-result', 'step-finish']);
  });

  test('gives two calls with one id their own results', async () => {
    const made = stepWith('redact', ['a', 'a'], [makeResult('a', 1, 'nothing'), makeResult('a', 0, 'the secret')]);
    await closeStep(made.run);
    expect(closedResults(made)).toEqual(['xxx', 'nothing']);
  });

  test('takes one result for a call, however many a processor makes of it', async () => {
    const made = stepWith('double', ['a', 'b'], secret());
    await closeStep(made.run);
    expect(closedResults(made)).toEqual(['xxx', 'nothing']);
  });

  test('keeps errors and denials distinct from results', async () => {
    const denial = { result: { denied: true, reason: 'no', code: 'c' }, isError: true, denied: true };
    const error = { error: { code: 'tool-failed', message: 'broken' } };
    const results = [makeResult('a', 0, null, denial), makeResult('b', 1, error, { isError: true })];
    const made = stepWith('redact', ['a', 'b'], results);
    await closeStep(made.run);
    expect(made.run.getState().steps[0]?.toolResults).toEqual([
      { ...call('a'), ...denial },
      { ...call('b'), result: error, isError: true },
    ]);
  });
});
