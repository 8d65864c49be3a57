// Compares checkFit with zod on real messages, and on each message with one member removed, added or replaced.
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { checkFit, fitsAsIs } from './json-fit.ts';
import { buildTextMessage } from '../message/message.ts';
import { chunkBatchSchema, liveBatchSchema } from '../chunk/chunk-batch.ts';
import { sessionInputSchema, sessionOpenSchema, sessionOpenedSchema, sessionOutputSchema } from '../session/session.ts';
import { stageCallSchema, stageReplySchema } from '../stage/stage-call.ts';
import { agreesWithZod } from '../testing/agrees-with-zod.ts';

const run = { tenant: 'default', runId: 'r1', agent: 'a', epoch: 1, threadId: 't' };
const parts = [
  { type: 'text', text: 'hi' },
  { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: '1', toolName: 'clock', args: { a: [1] } } },
  { type: 'of-tomorrow', any: {} },
];
const message = { ...buildTextMessage('m1', 'user', 'hi'), content: { format: 2, parts, metadata: { a: 1 } } };
const tool = { name: 'clock', description: '', inputSchema: {}, subject: 's', idempotent: true, timeoutMs: 1 };
const head = {
  callId: 'c1',
  run,
  entries: [{ entry: 'pii', processor: 'pii', options: { a: 1 }, state: {}, index: 0 }],
  requestContext: { language: 'de' },
  timeoutMs: 5_000,
  remainingMs: 60_000,
};
const input = {
  retryCount: 0,
  stepNumber: 0,
  conversation: { entries: [{ source: 'input', message }], system: [{ tag: 'instructions', content: 'Be kind.' }] },
  tools: [tool],
  activeTools: null,
  usage: { inputTokens: 3 },
  prompt: [{ role: 'user', content: [{ type: 'text', text: 'hi' }] }],
};
const delta = { type: 'text-delta', runId: 'r1', from: 'AGENT', payload: { id: 't', text: 'a' } };
const data = { type: 'data-progress', runId: 'r1', from: 'AGENT', data: { percent: 3 } };
const ops = [
  { op: 'add', source: 'context', message },
  { op: 'system', tag: 'x', contents: ['y'] },
];
const verdicts = [
  { type: 'continue', state: { a: 1 }, changes: { ops }, violations: [{ processorId: 'pii', message: 'found' }] },
  { type: 'abort', reason: 'no', retry: true },
];
const batch = { session: 's1', sequence: 0, processed: 0, chunks: [delta, data] };

const messages: [string, z.ZodType, unknown][] = [
  ['stage call', stageCallSchema, { ...head, stage: 'processInput', input }],
  ['stage reply', stageReplySchema, { sequence: 0, verdicts, ms: [0.1, 2], replica: 'r' }],
  ['progress', stageReplySchema, { sequence: 0, progress: [data], replica: 'r', judged: { verdicts, ms: [1, 2] } }],
  ['failure', stageReplySchema, { sequence: 1, verdicts: [failure()], ms: [1], replica: 'r' }],
  [
    'open',
    sessionOpenSchema,
    { ...head, stage: 'processOutputStream', session: 's', orchestrator: 'o', input, end: true },
  ],
  ['opened', sessionOpenedSchema, { opened: true, replica: 'r', service: 's', served: 1 }],
  ['not opened', sessionOpenedSchema, { opened: false, verdicts }],
  ['session input', sessionInputSchema, { ...batch, end: true }],
  ['session output', sessionOutputSchema, { ...batch, same: { from: 0, count: 3 }, verdicts, ms: [1, 2] }],
  ['chunks', chunkBatchSchema, { epoch: 1, index: 0, chunks: [delta] }],
  ['live chunks', liveBatchSchema, { epoch: 1, index: 0, chunks: [delta], transient: [data] }],
];

function failure() {
  return { type: 'failure', code: 'processor-failed', message: 'no', retryable: true };
}

const OTHERS: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 60,
  '',
  'continue',
  'a b',
  'x'.repeat(300),
  [],
  [1],
  {},
];

/** Yields the value with one change at each position. */
function* generateChanges(value: unknown): Generator {
  yield* OTHERS;
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const [at, member] of value.entries())
      for (const other of generateChanges(member)) yield value.with(at, other);
    return;
  }
  yield { ...value, ofTomorrow: 1 };
  for (const [name, member] of Object.entries(value)) {
    yield Object.fromEntries(Object.entries(value).filter(([other]) => other !== name));
    for (const other of generateChanges(member)) yield { ...value, [name]: other };
  }
}

describe('a message that travels often', () => {
  test.each(messages)('A frequent message fits without zod: %s', (_name, schema, value) => {
    expect(fitsAsIs(schema, value)).toBe(true);
  });

  test.each(messages)(
    'A frequent message with one change fits if and only if zod returns it unchanged: %s',
    (_name, schema, value) => {
      expect([...generateChanges(value)].filter((other) => !agreesWithZod(schema, other))).toEqual([]);
    },
  );
});

test('A union option that would drop a member precedes an option that fits', () => {
  const union = z.union([z.object({ a: z.number() }), z.object({ a: z.number(), b: z.number() })]);
  expect(union.parse({ a: 1, b: 2 })).toEqual({ a: 1 });
  expect(checkFit(union, { a: 1, b: 2 })).toBe('ask');
});

test.each([
  ['a default that is missing', z.object({ a: z.number().default(1) }), {}],
  ['a text that is made another', z.string().trim(), ' a'],
  ['a format', z.email(), 'a@b.example'],
  ['a rule of its own', z.object({ a: z.number() }).refine(({ a }) => a > 1), { a: 1 }],
  ['names that must all be there', z.record(z.enum(['a', 'b']), z.number()), { a: 1 }],
  ['a value that changes its type', z.coerce.number(), '1'],
  ['a transformation', z.string().transform((text) => text.length), 'abc'],
])('checkFit leaves %s to zod', (_what, schema, value) => {
  expect(checkFit(schema, value)).toBe('ask');
});

test('An unmarked schema is always checked by zod', () => {
  expect(fitsAsIs(z.string(), 'a')).toBe(false);
});
