import type { Chunk } from '@millrace/contracts';
import { TEST_RUN } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, shown, streaming, streamThrough } from '../testing/streaming.ts';

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

describe('what a processor makes of a chunk', () => {
  test('one for one, through all of them in order', async () => {
    const mark = streaming('mark', ({ part }) => (part.type === 'text-delta' ? delta(`${part.payload.text}!`) : part));
    expect((await streamThrough([upper, mark], texts('a', 'b'))).out).toEqual(['A!', 'B!']);
  });

  test.each([null, undefined])('%s drops it', async (nothing) => {
    const drop = streaming('drop', ({ part }) => (shown(part) === 'b' ? nothing : part));
    expect((await streamThrough([drop, upper], texts('a', 'b', 'c'))).out).toEqual(['A', 'C']);
  });

  test('an array puts several in its place; an empty one drops it', async () => {
    const twice = streaming('twice', ({ part }) => (shown(part) === 'b' ? [] : [part, part]));
    expect((await streamThrough([twice, upper], texts('a', 'b', 'c'))).out).toEqual(['A', 'A', 'C', 'C']);
  });

  test('finish, error and tripwire stay where they would be dropped', async () => {
    const drop = streaming('drop', () => null);
    expect((await streamThrough([drop], [delta('a'), finish])).out).toEqual(['finish']);
  });

  test('what is no chunk fails the processor, and reaches nobody', async () => {
    const wrong = streaming('wrong', ({ part }) => {
      if (shown(part) === 'b') Object.assign(part, { payload: { id: 'x', text: 3 } });
      return { ...part };
    });
    const { out, verdicts } = await streamThrough([wrong, upper], texts('a', 'b', 'c'));
    expect(out).toEqual(['A']);
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-failed' }, { type: 'continue' }]);
  });
});

describe('a processor that says that it changes no chunk', () => {
  const never = { changes: { processOutputStream: 'never' as const } };

  test('lets chunks through as they came', async () => {
    expect((await streamThrough([streaming('true', ({ part }) => ({ ...part }), never)], texts('a'))).out).toEqual([
      'a',
    ]);
  });

  test.each([
    ['another one', ({ part }: { part: Chunk }) => ({ ...part, payload: { id: 'text-1', text: 'b' } })],
    ['one that was changed in place', ({ part }: { part: Chunk }) => Object.assign(part, { note: 1 })],
    ['none', () => null],
    ['several', ({ part }: { part: Chunk }) => [part]],
  ])('fails where it gives %s', async (_what, method) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what a processor in JavaScript may return
    const { out, verdicts } = await streamThrough([streaming('false', method as never, never)], texts('a'));
    expect(out).toEqual([]);
    expect(verdicts).toMatchObject([{ type: 'failure', code: 'processor-verdict-refused' }]);
  });
});

describe('order in a stream of processors', () => {
  test('holds though some chunks take longer than others', async () => {
    const names = Array.from({ length: 12 }, (_, at) => String(at));
    const slow = streaming('slow', async ({ part }) => {
      for (let turns = 12 - Number(shown(part)); turns > 0; turns--) await Promise.resolve();
      return part;
    });
    expect((await streamThrough([slow, pass, slow], texts(...names))).out).toEqual(names);
  });

  test('gives a processor the next chunk when it is done with the one before', async () => {
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

  test('lets it work on that while those after it still work on the one before: a pipeline', async () => {
    const log: string[] = [];
    const entered = new Map<string, PromiseWithResolvers<void>>();
    const enter = (what: string) => {
      const known = entered.get(what) ?? Promise.withResolvers<void>();
      entered.set(what, known);
      return known;
    };
    // The last processor does not finish a chunk before the first one has begun the next but one: that needs all three at work.
    const stage = (id: string, waitsFor: (at: number) => string | undefined) =>
      streaming(id, async ({ part }) => {
        const at = Number(shown(part));
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

  test('go past those that did not ask for them, in their place', async () => {
    seen.length = 0;
    const { out } = await streamThrough([look, upper], [delta('a'), dataChunk('data-x'), delta('b')]);
    expect(out).toEqual(['A', 'data-x', 'B']);
    expect(seen).toEqual(['text-delta', 'text-delta']);
  });

  test('reach those that did', async () => {
    seen.length = 0;
    await streamThrough([{ ...look, processDataParts: true }], [dataChunk('data-x')]);
    expect(seen).toEqual(['data-x']);
  });

  test('of a writer come out in place: after the chunks before it, before the one it is at, and through the later processors', async () => {
    const writing = streaming('writing', async ({ part, writer }) => {
      if (shown(part) === 'b') await writer.custom({ type: 'data-note', data: 1 });
      return part;
    });
    const later = streaming('later', ({ part }) => (part.type === 'text-delta' ? part : [part, part]), {
      processDataParts: true,
    });
    const { out } = await streamThrough([writing, later, upper], texts('a', 'b', 'c'));
    expect(out).toEqual(['A', 'data-note', 'data-note', 'B', 'C']);
  });

  test('of another type than data-* are refused, and so fail the processor', async () => {
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
      if (shown(part) === text && how === 'abort') abort('no', { retry: true });
      if (shown(part) === text && how === 'halt') halt('instead');
      if (shown(part) === text) throw new Error('a bug');
      return part;
    });

  test.each([
    ['abort', { type: 'abort', reason: 'no', retry: true }],
    ['halt', { type: 'halt', response: 'instead' }],
    ['throw', { type: 'failure', code: 'processor-failed', message: 'a bug' }],
  ] as const)('by %s: what was let through before stays, nothing comes after it', async (how, verdict) => {
    const { out, verdicts } = await streamThrough([upper, stopAt('B', how), pass], texts('a', 'b', 'c'));
    expect(out).toEqual(['A']);
    expect(verdicts).toMatchObject([{ type: 'continue' }, verdict, { type: 'continue' }]);
  });
});

describe('state and parts in a stream of processors', () => {
  test('live through the stream and go back at its end', async () => {
    const count = streaming('count', ({ part, state }) => {
      state['seen'] = Number(state['seen'] ?? 0) + 1;
      return part;
    });
    expect((await streamThrough([count, pass], texts('a', 'b'))).verdicts[0]).toEqual({
      type: 'continue',
      state: { seen: 2 },
    });
  });

  test('fail their own processor alone where the state is not JSON', async () => {
    const broken = streaming('broken', ({ part, state }) => (Object.assign(state, { timer: new Map() }), part));
    expect((await streamThrough([broken, pass], texts('a'))).verdicts).toMatchObject([
      { type: 'failure', code: 'state-not-serializable' },
      { type: 'continue' },
    ]);
  });

  test('fail their own processor alone where the state is too large for the last batch of a session', async () => {
    const large = streaming('large', ({ part, state }) => (Object.assign(state, { all: 'x'.repeat(300_000) }), part));
    expect((await streamThrough([large, pass], texts('a'))).verdicts).toMatchObject([
      { type: 'failure', code: 'state-too-large', message: expect.stringContaining('"large"') },
      { type: 'continue' },
    ]);
  });

  test('streamParts is what this processor has received, the present chunk included', async () => {
    const seen: string[][] = [];
    const look = streaming('look', ({ part, streamParts }) => (seen.push(streamParts.map(shown)), part));
    await streamThrough([upper, look], texts('a', 'b'));
    expect(seen).toEqual([['A'], ['A', 'B']]);
  });
});

test('a stream of processors without chunks still has verdicts', async () => {
  expect(await streamThrough([upper], [])).toMatchObject({ out: [], verdicts: [{ type: 'continue' }] });
});
