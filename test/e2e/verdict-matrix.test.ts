// Every verdict at every stage, by docs/semantics.md, section 5: allowed with its effect on the run, or rejected by
// name. A client observes each over the bus. suspension.test.ts tests the allowed cells of `suspend`.
import { STAGES, allowsRetry, allowsVerdict, createFailure, type Stage, type VerdictType } from '@millrace/contracts';
import {
  eventually,
  makeReply,
  passStream,
  serveWire,
  useBus,
  useSharedStack,
  type WireJson,
  type WireScript,
} from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { collect } from './collect.ts';
import { script } from './script.ts';

/** The client's view; `refused`: the run fails with that name at that stage. */
type Cell =
  | 'finished'
  | 'tripwire'
  | 'again'
  | 'halted'
  | 'denied'
  | 'cached'
  | 'asked again'
  | 'suspended'
  | 'failed'
  | 'refused';
type Row = VerdictType | 'abort with retry';

const fillStages = (cell: Cell): Record<Stage, Cell> => ({
  processInput: cell,
  processInputStep: cell,
  processLLMRequest: cell,
  processAPIError: cell,
  processOutputStream: cell,
  processLLMResponse: cell,
  processOutputStep: cell,
  processToolCall: cell,
  processToolResult: cell,
  processOutputResult: cell,
});
const TABLE: Record<Row, Record<Stage, Cell>> = {
  // A model error without a handler fails the run.
  continue: { ...fillStages('finished'), processAPIError: 'failed' },
  abort: fillStages('tripwire'),
  'abort with retry': {
    ...fillStages('again'),
    processAPIError: 'refused',
    processToolCall: 'refused',
    processToolResult: 'refused',
  },
  halt: { ...fillStages('halted'), processAPIError: 'refused', processLLMResponse: 'refused' },
  suspend: {
    ...fillStages('suspended'),
    processLLMRequest: 'refused',
    processAPIError: 'refused',
    processOutputStream: 'refused',
    processLLMResponse: 'refused',
  },
  deny: { ...fillStages('refused'), processToolCall: 'denied' },
  respond: { ...fillStages('refused'), processLLMRequest: 'cached' },
  retry: { ...fillStages('refused'), processAPIError: 'asked again' },
  failure: fillStages('failed'),
};

const chunk = (type: string, payload: object) => ({ type, runId: 'x', from: 'AGENT' as const, payload });
const cached = [
  chunk('text-start', { id: 'c' }),
  chunk('text-delta', { id: 'c', text: 'cached' }),
  chunk('text-end', { id: 'c' }),
];
const VERDICTS: Record<Row, WireJson> = {
  continue: { type: 'continue' },
  abort: { type: 'abort', reason: 'no' },
  'abort with retry': { type: 'abort', reason: 'once more', retry: true },
  halt: { type: 'halt', response: 'Instead.' },
  suspend: { type: 'suspend', payload: { question: 'sure?' } },
  deny: { type: 'deny', reason: 'not that' },
  respond: { type: 'respond', chunks: cached },
  retry: { type: 'retry' },
  failure: createFailure('processor-failed', 'broken'),
};

const rows = Object.keys(VERDICTS).filter((row): row is Row => row in TABLE);
const cells = rows.flatMap((row) => STAGES.map((stage) => [row, stage, TABLE[row][stage]] as const));
const buildId = (row: Row, stage: Stage) => `${row.replaceAll(' ', '-')}-${stage}`;

const stack = useSharedStack();
const connection = useBus(stack, 'matrix', { role: 'developer' });
let served: { stop(): Promise<void> };

beforeAll(async () => {
  const processors = cells.map(([row, stage]) => ({ id: buildId(row, stage), stage, ...answering(row, stage) }));
  served = await serveWire(connection.bus, processors);
  await eventually(async () => (await stack.client.processors.list()).length >= processors.length);
}, 60_000);
afterAll(() => served.stop());

/** Returns the verdict once: a repeated run passes. */
function answering(row: Row, stage: Stage): Pick<WireScript, 'call' | 'batch'> {
  const isPassed = (call: WireJson) =>
    row === 'continue' || (row === 'abort with retry' && inputSchema.parse(call['input']).retryCount > 0);
  if (stage !== 'processOutputStream')
    return { call: (call, wire) => wire.reply(makeReply(wire, isPassed(call) ? VERDICTS.continue : VERDICTS[row])) };
  const passing = passStream();
  const stopping = passStream((right) => [{ ...right, chunks: [], verdicts: [VERDICTS[row]], ms: [0] }]);
  return {
    call: (call, wire) => (isPassed(call) ? passing : stopping).call(call, wire),
    // Each ignores the sessions of the other.
    batch: (batch, wire) => [passing, stopping].forEach((stream) => stream.batch?.(batch, wire)),
  };
}
const inputSchema = z.object({ retryCount: z.number() });

const SCRIPTS: Partial<Record<Stage, string>> = {
  processAPIError: script({ error: { status: 400, message: 'no' } }, { text: 'answer' }),
  processToolCall: script({ toolCalls: [{ name: 'calculator', args: { expression: '1 + 1' } }] }, { text: 'answer' }),
  processToolResult: script({ toolCalls: [{ name: 'calculator', args: { expression: '1 + 1' } }] }, { text: 'answer' }),
};
const SEEN: Record<Cell, (path: string) => object> = {
  finished: () => ({ status: 'finished', text: 'answer' }),
  again: () => ({ status: 'finished', text: 'answer', finishReason: 'stop' }),
  'asked again': () => ({ status: 'finished', text: 'answer' }),
  denied: () => ({ status: 'finished', steps: [{ toolResults: [{ denied: true }] }, { text: 'answer' }] }),
  cached: () => ({ status: 'finished', text: 'cached' }),
  halted: () => ({ status: 'finished', text: 'Instead.', finishReason: 'halted' }),
  tripwire: () => ({ status: 'aborted', text: '', tripwire: { reason: 'no' } }),
  suspended: () => ({ status: 'suspended' }),
  failed: () => ({ status: 'failed', text: '' }),
  refused: (path) => ({ status: 'failed', text: '', error: { code: 'processor-verdict-refused', path } }),
};
const LAST: Partial<Record<Cell, string>> = {
  tripwire: 'tripwire',
  suspended: 'suspended',
  failed: 'error',
  refused: 'error',
};

describe('a verdict', () => {
  test.concurrent.each(cells)('%s at %s: %s', async (row, stage, cell) => {
    const id = buildId(row, stage);
    const list = stage === 'processAPIError' ? 'error' : INPUT.includes(stage) ? 'input' : 'output';
    await stack.client.agents.apply({
      name: id,
      model: 'openai/gpt-5-mini',
      instructions: 'Answer.',
      tools: ['calculator'],
      [list]: [id],
      maxProcessorRetries: 2,
    });
    const run = await stack.client.start(id, SCRIPTS[stage] ?? script({ text: 'answer' }, { text: 'answer' }));
    const chunks = await collect(run);
    expect(chunks.at(-1)?.type).toBe(LAST[cell] ?? 'finish');
    expect(await run.result()).toMatchObject(SEEN[cell](`${stage}/${id}`));
    if (cell === 'suspended') await run.release();
  });
});
const INPUT: readonly Stage[] = [
  'processInput',
  'processInputStep',
  'processLLMRequest',
  'processLLMResponse',
  'processToolCall',
];

test('the matrix equals the table of the schema', () => {
  for (const [row, stage, cell] of cells) {
    const isAllowed = row === 'abort with retry' ? allowsRetry(stage) : allowsVerdict(stage, row);
    expect({ row, stage, isAllowed }).toEqual({ row, stage, isAllowed: cell !== 'refused' });
  }
});
