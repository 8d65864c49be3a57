import type { Chunk } from '@millrace/contracts';
import { TEST_RUN, callContext, callEntry } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { createHostedProcessors } from './hosted-processor.ts';
import { callStream } from './stream-batch.ts';
import { dataChunk, delta, formatChunk, streaming, streamThrough } from '../testing/streaming.ts';

const upper = streaming('upper', ({ part }) =>
  part.type === 'text-delta' ? delta(part.payload.text.toUpperCase()) : part,
);
const pass = streaming('pass', ({ part }) => part);
const texts = (...list: string[]) => list.map((text) => delta(text));
const finish: Chunk = {
  type: 'finish',
  runId: TEST_RUN.runId,
  from: 'AGENT',
  payload: { stepResult: { reason: 'stop' }, output: {}, messages: [] },
};

describe('results of a processor for a chunk', () => {
  test('A chunk passes all processors in order', async () => {
    const mark = streaming('mark', ({ part }) => (part.type === 'text-delta' ? delta(`${part.payload.text}!`) : part));
    expect((await streamThrough([upper, mark], texts('a', 'b'))).out).toEqual(['A!', 'B!']);
  });

  test.each([null, undefined])('%s drops the chunk', async (nothing) => {
    const drop = streaming('drop', ({ part }) => (formatChunk(part) === 'b' ? nothing : part));
    expect((await streamThrough([drop, upper], texts('a', 'b', 'c'))).out).toEqual(['A', 'C']);
  });

  test('An array replaces the chunk by several; an empty array drops it', async () => {
    const twice = streaming('twice', ({ part }) => (formatChunk(part) === 'b' ? [] : [part, part]));
    expect((await streamThrough([twice, upper], texts('a', 'b', 'c'))).out).toEqual(['A', 'A', 'C', 'C']);
  });

  test('finish, error and tripwire cannot be dropped, and a violation names the chunk', async () => {
    const drop = streaming('drop', () => null);
    const { out, verdicts } = await streamThrough([drop], [delta('a'), finish]);
    expect(out).toEqual(['finish']);
    expect(verdicts).toMatchObject([
      { violations: [{ rule: 'chunk-kept', message: expect.stringContaining('"finish"') }] },
    ]);
  });

  test('A result that is not a chunk fails the processor and is not sent', async () => {
    const wrong = streaming('wrong', ({ part }) => {
      if (formatChunk(part) === 'b') Object.assign(part, { payload: { id: 'x', text: 3 } });
      return { ...part };
    });
    const { out, verdicts } = await streamThrough([wrong, upper], texts('a', 'b', 'c'));
    expect(out).toEqual(['A']);
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-failed' }, { type: 'continue' }]);
  });
});

describe('a processor that declares no changes to chunks', () => {
  const never = { changes: { processOutputStream: 'never' as const } };

  test('A processor without changes passes chunks unchanged', async () => {
    expect((await streamThrough([streaming('true', ({ part }) => ({ ...part }), never)], texts('a'))).out).toEqual([
      'a',
    ]);
  });

  test.each([
    ['another one', ({ part }: { part: Chunk }) => ({ ...part, payload: { id: 'text-1', text: 'b' } })],
    ['one that was changed in place', ({ part }: { part: Chunk }) => Object.assign(part, { note: 1 })],
    ['none', () => null],
    ['several', ({ part }: { part: Chunk }) => [part]],
  ])('A processor without changes fails if it returns %s', async (_what, method) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a processor in JavaScript may return
    const { out, verdicts } = await streamThrough([streaming('false', method as never, never)], texts('a'));
    expect(out).toEqual([]);
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-verdict-refused' }]);
  });
});

describe('order in a stream of processors', () => {
  test('The order of chunks is kept for different processing times', async () => {
    const names = Array.from({ length: 12 }, (_, at) => String(at));
    const slow = streaming('slow', async ({ part }) => {
      for (let turns = 12 - Number(formatChunk(part)); turns > 0; turns--) await Promise.resolve();
      return part;
    });
    expect((await streamThrough([slow, pass, slow], texts(...names))).out).toEqual(names);
  });

  test('A processor receives the next chunk after it has processed the preceding one', async () => {
    let active = 0;
    let most = 0;
    const counting = streaming('counting', async ({ part }) => {
      most = Math.max(most, (active += 1));
      await Promise.resolve();
      active -= 1;
      return part;
    });
    await streamThrough([counting], texts('a', 'b', 'c', 'd'));
    expect(most).toBe(1);
  });

  test('A processor works on a chunk while later processors work on the preceding one', async () => {
    const log: string[] = [];
    const entered = new Map<string, PromiseWithResolvers<void>>();
    const enter = (what: string) => {
      const known = entered.get(what) ?? Promise.withResolvers<void>();
      entered.set(what, known);
      return known;
    };
    // The last processor finishes a chunk only after the first one has started the chunk after the next: that needs all
    // three concurrently.
    const stage = (id: string, waitsFor: (at: number) => string | undefined) =>
      streaming(id, async ({ part }) => {
        const at = Number(formatChunk(part));
        log.push(`${id} ${at}`);
        enter(`${id} ${at}`).resolve();
        const other = waitsFor(at);
        if (other !== undefined) await enter(other).promise;
        return part;
      });
    const last = 5;
    const first = stage('first', () => undefined);
    const second = stage('second', (at) => (at < last ? `first ${at + 1}` : undefined));
    const third = stage('third', (at) => (at < last - 1 ? `first ${at + 2}` : undefined));
    const { out } = await streamThrough([first, second, third], texts('0', '1', '2', '3', '4', '5'));
    expect(out).toEqual(['0', '1', '2', '3', '4', '5']);
    expect(log.indexOf('first 2')).toBeLessThan(log.indexOf('third 1'));
  });
});

describe('data chunks in a stream of processors', () => {
  const seen: string[] = [];
  const look = streaming('look', ({ part }) => (seen.push(part.type), part));

  test('Data chunks bypass processors that do not accept them, in order', async () => {
    seen.length = 0;
    const { out } = await streamThrough([look, upper], [delta('a'), dataChunk('data-x'), delta('b')]);
    expect(out).toEqual(['A', 'data-x', 'B']);
    expect(seen).toEqual(['text-delta', 'text-delta']);
  });

  test('Data chunks reach processors that accept them', async () => {
    seen.length = 0;
    await streamThrough([{ ...look, processDataParts: true }], [dataChunk('data-x')]);
    expect(seen).toEqual(['data-x']);
  });

  test('Data chunks of a writer are sent in order: after the earlier chunks, before the current one, and through the later processors', async () => {
    const writing = streaming('writing', async ({ part, writer }) => {
      if (formatChunk(part) === 'b') await writer.custom({ type: 'data-note', data: 1 });
      return part;
    });
    const later = streaming('later', ({ part }) => (part.type === 'text-delta' ? part : [part, part]), {
      processDataParts: true,
    });
    const { out } = await streamThrough([writing, later, upper], texts('a', 'b', 'c'));
    expect(out).toEqual(['A', 'data-note', 'data-note', 'B', 'C']);
  });

  test('A custom chunk of another type than data-* is rejected and fails the processor', async () => {
    const wrong = streaming('wrong', async ({ part, writer }) => {
      // @ts-expect-error -- what a processor in JavaScript could do
      await writer.custom({ type: 'text-delta', payload: {} });
      return part;
    });
    expect((await streamThrough([wrong], texts('a'))).verdicts).toMatchObject([
      { type: 'failure', code: 'message-invalid' },
    ]);
  });
});

describe('a processor that stops', () => {
  const stopAt = (text: string, how: 'abort' | 'halt' | 'throw') =>
    streaming('stop', ({ part, abort, halt }) => {
      if (formatChunk(part) === text && how === 'abort') abort('no', { retry: true });
      if (formatChunk(part) === text && how === 'halt') halt('instead');
      if (formatChunk(part) === text) throw new Error('a bug');
      return part;
    });

  test.each([
    ['abort', { type: 'abort', reason: 'no', retry: true }],
    ['halt', { type: 'halt', response: 'instead' }],
    ['throw', { type: 'failure', code: 'processor-failed', message: 'a bug' }],
  ] as const)('%s: earlier output is kept, and nothing later is sent', async (how, verdict) => {
    const { out, verdicts } = await streamThrough([upper, stopAt('B', how), pass], texts('a', 'b', 'c'));
    expect(out).toEqual(['A']);
    expect(verdicts).toMatchObject([{ type: 'continue' }, verdict, { type: 'continue' }]);
  });
});

describe('state and parts in a stream of processors', () => {
  test('State and parts persist through the stream and are returned at its end', async () => {
    const count = streaming('count', ({ part, state }) => {
      state['seen'] = Number(state['seen'] ?? 0) + 1;
      return part;
    });
    expect((await streamThrough([count, pass], texts('a', 'b'))).verdicts[0]).toEqual({
      type: 'continue',
      state: { seen: 2 },
    });
  });

  test('A state that is not JSON fails only its own processor', async () => {
    const broken = streaming('broken', ({ part, state }) => (Object.assign(state, { timer: new Map() }), part));
    expect((await streamThrough([broken, pass], texts('a'))).verdicts).toMatchObject([
      { type: 'failure', code: 'state-not-serializable' },
      { type: 'continue' },
    ]);
  });

  test('A state that is too large for the last batch of a session fails only its own processor', async () => {
    const large = streaming('large', ({ part, state }) => (Object.assign(state, { all: 'x'.repeat(300_000) }), part));
    expect((await streamThrough([large, pass], texts('a'))).verdicts).toMatchObject([
      { type: 'failure', code: 'state-too-large', message: expect.stringContaining('"large"') },
      { type: 'continue' },
    ]);
  });

  test('streamParts contains the chunks that this processor has received, the current one included', async () => {
    const seen: string[][] = [];
    const look = streaming('look', ({ part, streamParts }) => (seen.push(streamParts.map(formatChunk)), part));
    await streamThrough([upper, look], texts('a', 'b'));
    expect(seen).toEqual([['A'], ['A', 'B']]);
  });

  test.each([
    ['has the parts of the answer before them if the processor reads chunks', ['chunks' as const], ['a', 'finish']],
    ['has only them if it does not', [], ['finish']],
  ])('streamParts of chunks behind the answer %s', async (_what, reads, expected) => {
    const seen: string[][] = [];
    const look = streaming('look', ({ part, streamParts }) => (seen.push(streamParts.map(formatChunk)), part), {
      reads,
    });
    const call = { entries: [callEntry('look')], input: { retryCount: 0, stepNumber: 0, chunks: [delta('a')] } };
    await callStream(call, createHostedProcessors([look]), callContext(), [finish]);
    expect(seen).toEqual([expected]);
  });
});

test('A stream of processors without chunks still has verdicts', async () => {
  expect(await streamThrough([upper], [])).toMatchObject({ out: [], verdicts: [{ type: 'continue' }] });
});
