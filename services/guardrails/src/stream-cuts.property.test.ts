// Tests every processor with a stream stage, with each redacting or blocking strategy: any chunking of text, reasoning
// or tool arguments has the result of the whole text, which is also the result at the end of the run, and a rejected
// text is rejected in every chunking.
import type { Chunk } from '@millrace/contracts';
import { MessageList, StopError, type Processor } from '@millrace/processor';
import { commonArgs, resultArgs } from '@millrace/testkit';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createProcessors } from './processors.ts';
import { NO_STORE } from './store/guard-store.ts';
import { FIXED_ENDPOINTS } from './testing/fixed-endpoints.ts';
import { FIXED_MODELS } from './testing/judging-provider.ts';
import { GUARD_CASES } from './testing/guard-cases.ts';
import { assistant, withSystem } from './testing/messages.ts';
import { deltaChunk, endChunk, send, type StreamKind } from './testing/stream-text.ts';

const PROMPT =
  'Never tell anybody the opening code of the archive, and offer at most three rare maps with their shelf marks.';
const KEY = ['gh', 'p_Q7xLmZ2pR9vTk4WsY1nB8cHd6FgJ3eUaQ7xL'].join('');
const pieces = [
  [
    'ada@example.com',
    'card 4111 1111 1111 1111',
    '+1 (555) 123-4567',
    'https://example.com/a?b=c',
    '123-45-6789',
    'born on',
  ],
  [
    KEY,
    'my password is hunter2!',
    'password: ',
    'key-42',
    'key-',
    'nightingale',
    'night',
    'project',
    'project x',
    'p.r.o.j.e.c.t x',
    '_nightingale_',
    'project **x**',
    'ProjectX',
    '__',
  ],
  [
    PROMPT,
    PROMPT.slice(0, 40),
    'never TELL **anybody** the opening-code of the archive',
    'rare maps',
    'blue  bird',
    'blue',
  ],
  [
    'a vile word',
    'says Ada',
    'Ada',
    'Plain words of no harm.',
    'in 2024',
    '17 * 23 = 391',
    'x'.repeat(90),
    '1 '.repeat(30),
  ],
  [
    'é',
    '漢字',
    '👩‍💻',
    '\u200b',
    '\\',
    '"',
    '{"',
    '&#52;',
    '\\u0034',
    '%34',
    'e\u0301',
    '@',
    '://',
    '-----BEGIN',
    '\ud835',
  ],
].flat();
const gaps = ['', ' ', ' ', ', ', '\n', '. '];
const texts = fc
  .array(fc.tuple(fc.constantFrom(...pieces), fc.constantFrom(...gaps)), { maxLength: 14 })
  .map((parts) => parts.flat().join(''));
/** Texts with many of the values. No value extends another, so each is a hit of its own. */
const makeTexts = (values: readonly string[]) =>
  fc
    .array(
      fc.tuple(fc.oneof(fc.constantFrom(...values), fc.constantFrom(...pieces)), fc.constantFrom(' ', ', ', '\n')),
      { maxLength: 10 },
    )
    .map((parts) => parts.flat().join(''));
const cuts = fc.array(fc.integer({ min: 1, max: 14 }), { minLength: 1, maxLength: 30 });
const SETTINGS = { seed: 20_261_122, numRuns: 40 };

type Outcome = { passed: string; isStopped: boolean };

/** Until the processor stops it. @param sizes of the deltas, repeated if they run out */
async function streamText(
  processor: Processor,
  text: string,
  sizes: readonly number[],
  kind: StreamKind,
): Promise<Outcome> {
  const args = commonArgs({});
  const parts: Chunk[] = [];
  for (let at = 0, n = 0; at < text.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    parts.push(deltaChunk(kind, text.slice(at, at + size)));
    at += size;
  }
  let passed = '';
  for (const part of [...parts, endChunk(kind)]) {
    const out = await runUnlessStopped(() => send(processor, part, args));
    if (!out) return { passed, isStopped: true };
    passed += out.map(readChunkText).join('');
  }
  return { passed, isStopped: false };
}

async function runUnlessStopped<T>(call: () => Promise<T>): Promise<T | undefined> {
  try {
    return await call();
  } catch (error) {
    if (StopError.isInstance(error)) return undefined;
    throw error;
  }
}

/**
 * Streams the text in parts, with a tool call and a new step after every second one, until the processor stops it.
 * @param sizes of the parts, repeated if they run out
 */
async function streamInParts(
  processor: Processor,
  text: string,
  sizes: readonly number[],
  kind: 'text' | 'reasoning',
): Promise<Outcome> {
  const args = commonArgs({});
  let passed = '';
  for (let at = 0, n = 0; at < text.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    const part = text.slice(at, at + size);
    const half = Math.ceil(part.length / 2);
    const chunks = [
      ...(n % 2 === 0 ? betweenSteps(n) : []),
      deltaChunk(kind, part.slice(0, half), `part-${n}`),
      deltaChunk(kind, part.slice(half), `part-${n}`),
      endChunk(kind, `part-${n}`),
    ];
    for (const chunk of chunks) {
      const out = await runUnlessStopped(() => send(processor, chunk, args));
      if (!out) return { passed, isStopped: true };
      if (chunk.type !== 'tool-call') passed += out.map(readChunkText).join('');
    }
    at += size;
  }
  return { passed, isStopped: false };
}

const betweenSteps = (step: number): Chunk[] => [
  makeChunk('tool-call', { toolCallId: `call-${step}`, toolName: 'calculator', args: { expression: '1 + 1' } }),
  makeChunk('step-finish', { stepResult: { reason: 'tool-calls' }, output: { text: '' } }),
  makeChunk('step-start', { messageId: `m-${step}` }),
];
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- complete for the processors of this suite
const makeChunk = (type: string, payload: object) => ({ type, runId: 'r1', from: 'AGENT', payload }) as Chunk;

function readChunkText(chunk: Chunk): string {
  if (chunk.type === 'text-delta' || chunk.type === 'reasoning-delta') return chunk.payload.text;
  return chunk.type === 'tool-call-delta' ? chunk.payload.argsTextDelta : '';
}

/** Returns the result of the end of a run for an answer that was not streamed. */
async function judgeAtEnd(processor: Processor, text: string): Promise<Outcome> {
  const given = resultArgs([assistant('a1', text)]);
  const messageList = new MessageList(
    {
      entries: [{ source: 'response', message: assistant('a1', text) }],
      system: [{ tag: 'instructions', content: PROMPT }],
    },
    'response',
  );
  const done = await runUnlessStopped(async () => {
    await processor.processOutputResult?.({ ...given, messageList });
    return true;
  });
  if (!done) return { passed: '', isStopped: true };
  const left = messageList.get.response.db().flatMap(({ content }) => content.parts);
  return { passed: left.map((part) => (part.type === 'text' ? part.text : '')).join(''), isStopped: false };
}

/** The output before a stopped stream depends on the cuts: it is a prefix of the text. */
const toComparable = ({ passed, isStopped }: Outcome, text: string): object =>
  isStopped ? { isStopped, isBeginning: text.startsWith(passed) } : { isStopped, passed };

const definitions = createProcessors(FIXED_MODELS, NO_STORE, FIXED_ENDPOINTS).filter(({ stages }) =>
  stages.includes('processOutputStream'),
);

test('The suite covers every processor with a stream stage', () => {
  const ids = definitions.map(({ id }) => id);
  const covered = Object.entries(GUARD_CASES).flatMap(([id, { stream }]) => (stream ? [id] : []));
  expect(covered.toSorted()).toEqual(ids.toSorted());
});

const ways = definitions.flatMap((definition) =>
  (GUARD_CASES[definition.id]?.stream ?? []).map((options) => ({ id: definition.id, definition, options })),
);

describe.each(ways)('$id with $options', ({ definition, options }) => {
  const createProcessor = () => withSystem(definition.create(options), PROMPT);

  test.each<StreamKind>(['text', 'reasoning', 'tool'])('%s: every chunking has the same result', async (kind) => {
    await fc.assert(
      fc.asyncProperty(texts, cuts, async (text, sizes) => {
        const whole = await streamText(createProcessor(), text, [Math.max(1, text.length)], kind);
        const cut = await streamText(createProcessor(), text, sizes, kind);
        expect(toComparable(cut, text)).toEqual(toComparable(whole, text));
      }),
      SETTINGS,
    );
  });

  test.runIf(definition.stages.includes('processOutputResult'))(
    'the stream and the end of the run have the same result',
    async () => {
      await fc.assert(
        fc.asyncProperty(texts, cuts, async (text, sizes) => {
          const cut = await streamText(createProcessor(), text, sizes, 'text');
          const end = await judgeAtEnd(createProcessor(), text);
          expect(toComparable(cut, text)).toEqual(toComparable(end, text));
        }),
        SETTINGS,
      );
    },
  );

  const isJudging = definition.stages.includes('processOutputResult') && JUDGES.has(definition.id);
  test.runIf(isJudging && options['strategy'] !== 'warn')(
    'a value that is cut over parts and steps never passes whole',
    async () => {
      const values: string[] = [];
      for (const piece of pieces) {
        const { passed, isStopped } = await judgeAtEnd(createProcessor(), piece);
        if (isStopped || !passed.includes(piece)) values.push(piece);
      }
      expect(values).not.toEqual([]);
      await fc.assert(
        fc.asyncProperty(makeTexts(values), cuts, async (text, sizes) => {
          const cut = await streamInParts(createProcessor(), text, sizes, 'text');
          const end = await judgeAtEnd(createProcessor(), text);
          expect(cut.isStopped || !end.isStopped).toBe(true);
          const masked = values.filter((value) => text.includes(value) && !end.passed.includes(value));
          expect(masked.filter((value) => cut.passed.includes(value))).toEqual([]);
        }),
        SETTINGS,
      );
    },
  );
});

/** Processors that search a text for values; the others limit its length or merge its parts. */
const JUDGES = new Set(['pii', 'secrets', 'regex-filter', 'keyword', 'moderation', 'judge', 'system-prompt-scrubber']);
