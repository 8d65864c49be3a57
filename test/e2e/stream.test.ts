// The output stream: every chunk passes every processor in order, over several services; no unguarded chunk is
// published.
import type { Chunk, JsonObject, JsonValue } from '@millrace/contracts';
import { defineMethods, defineProcessor, useProcessors, useSharedStack } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();

function mapText(part: Chunk, map: (text: string) => string): Chunk {
  return part.type === 'text-delta' ? { ...part, payload: { ...part.payload, text: map(part.payload.text) } } : part;
}

/** Upper case. */
const upper = defineMethods('upper', {
  processOutputStream: async ({ part }) => mapText(part, (text) => text.toUpperCase()),
});

const tag = defineProcessor({
  id: 'tag',
  description: 'numbers the deltas of a run over all its steps and reports their number',
  stages: ['processOutputStream', 'processOutputStep'],
  reads: [],
  options: z.strictObject({ mark: z.string() }),
  create: ({ mark }) => ({
    id: 'tag',
    processOutputStream: async ({ part, state, streamParts }) => {
      if (part.type !== 'text-delta') return part;
      const count = Number(state['count'] ?? 0) + 1;
      state['count'] = count;
      return mapText(part, (text) => `${text}${mark}${count}/${streamParts.length}`);
    },
    processOutputStep: ({ state, onViolation }) => onViolation({ message: `saw ${Number(state['count'])}` }),
  }),
});

const hoarder = defineProcessor({
  id: 'hoarder',
  description: 'keeps much text, and reports its size at the end of the step',
  stages: ['processOutputStream', 'processOutputStep'],
  reads: [],
  options: z.strictObject({ chars: z.number() }),
  create: ({ chars }) => ({
    id: 'hoarder',
    processOutputStream: ({ part, state }) => {
      state['kept'] = 'x'.repeat(chars);
      return part;
    },
    processOutputStep: ({ state, onViolation }) =>
      onViolation({ message: 'kept', rule: `kept-${JSON.stringify(state).length}` }),
  }),
});

/** Drops, doubles, and tries to drop the finish. */
const shape = defineMethods('shape', {
  processOutputStream: async ({ part }) => {
    if (part.type === 'finish' || part.type === 'response-metadata') return null;
    if (part.type !== 'text-delta') return part;
    if (part.payload.text.includes('drop')) return undefined;
    return part.payload.text.includes('twice') ? [part, part] : part;
  },
});

/** Writes data chunks. */
const talker = defineMethods('talker', {
  processInput: ({ writer }) => writer.custom({ type: 'data-input', data: 'hello' }).then(() => undefined),
  processOutputStream: async ({ part, writer }) => {
    if (part.type === 'text-start') await writer.custom({ type: 'data-note', data: { about: 'text' } });
    return part;
  },
});

/** Changes data chunks. */
const listener = defineMethods(
  'listener',
  { processOutputStream: async ({ part }) => (part.type.startsWith('data-') ? { ...part, data: 'heard' } : part) },
  { processDataParts: true },
);

const guard = defineProcessor({
  id: 'guard',
  description: 'stops at a word',
  stages: ['processOutputStream'],
  reads: [],
  options: z.strictObject({ word: z.string(), halt: z.boolean().default(false) }),
  create: ({ word, halt: halts }) => ({
    id: 'guard',
    processOutputStream: async ({ part, abort, halt }) => {
      if (part.type === 'text-delta' && part.payload.text.includes(word)) {
        if (halts) halt('No more of that.');
        abort('a word');
      }
      return part;
    },
  }),
});

/** Returns an invalid chunk. */
const liar = defineMethods('liar', {
  processOutputStream: async ({ part }) =>
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a processor in another language may send it
    part.type === 'text-delta' ? ({ type: 'text-delta' } as unknown as Chunk) : part,
});

useProcessors(stack, [upper, shape, talker, guard, liar, hoarder], 'first-service');
useProcessors(stack, [tag, listener], 'second-service');

async function start(name: string, output: JsonValue[], input: string, more: JsonObject = {}) {
  await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', flushMs: 0, output, ...more });
  return stack.client.start(name, input);
}

describe('the output stream', () => {
  test('chunks pass processors of several services in declared order, with state over the whole run', async () => {
    const words = script({ text: 'ab cd ef ', chunkSize: 3 });
    const run = await start('chain', ['upper', { use: 'tag', options: { mark: '#' } }], words);
    const chunks = await collect(run);
    expect(joinText(chunks)).toBe('AB #1/4CD #2/5EF #3/6');
    expect(await run.result()).toMatchObject({ text: joinText(chunks), violations: [{ count: 1 }] });
    expect(JSON.stringify(await stack.client.runs.eventsDetail(run.runId))).toContain('saw 3');
    expect(chunks.map((chunk) => chunk.type)).toEqual([
      'start',
      'step-start',
      'response-metadata',
      'text-start',
      'text-delta',
      'text-delta',
      'text-delta',
      'text-end',
      'step-finish',
      'finish',
    ]);
  });

  test('another order of the processors gives another text', async () => {
    const run = await start(
      'chain-2',
      [{ use: 'tag', as: 'a', options: { mark: 'x' } }, 'upper'],
      script({ text: 'ab' }),
    );
    expect(joinText(await collect(run))).toBe('ABX1/4');
  });

  test('two entries of one processor have separate states', async () => {
    const twice = [
      { use: 'tag', as: 'one', options: { mark: '-' } },
      { use: 'tag', as: 'two', options: { mark: '+' } },
    ];
    const run = await start('twins', twice, script({ text: 'ab' }));
    expect(joinText(await collect(run))).toBe('ab-1/4+1/4');
  });

  test('processors drop and multiply chunks but never lose the finish', async () => {
    const run = await start('shaped', ['shape'], script({ text: 'drop  twice keep.', chunkSize: 6 }));
    const chunks = await collect(run);
    expect(joinText(chunks)).toBe('twice twice keep.');
    expect(chunks.at(-1)?.type).toBe('finish');
  });

  test('custom chunks keep their position and pass the later processors that requested them', async () => {
    const run = await start('talking', ['talker', 'listener'], script({ text: 'hi' }), { input: ['talker'] });
    const chunks = await collect(run);
    const types = chunks.map((chunk) => chunk.type as string);
    expect(types.indexOf('data-note')).toBeLessThan(types.indexOf('text-start'));
    expect(chunks.filter((chunk) => (chunk.type as string).startsWith('data-'))).toEqual([
      expect.objectContaining({ type: 'data-input', data: 'heard' }),
      expect.objectContaining({ type: 'data-note', data: 'heard' }),
    ]);
  });

  test('an abort drops unpublished chunks and cancels the model', async () => {
    const run = await start(
      'stopped',
      [{ use: 'guard', options: { word: 'bad' } }, 'upper'],
      script({ text: 'good bad more', chunkSize: 5, delayMs: 30 }),
    );
    const chunks = await collect(run);
    expect(joinText(chunks)).toBe('GOOD ');
    expect(chunks.at(-1)).toMatchObject({ type: 'tripwire', payload: { reason: 'a word' } });
  });

  test('a halt in mid-stream replaces the answer', async () => {
    const run = await start(
      'halted',
      [{ use: 'guard', options: { word: 'bad', halt: true } }],
      script({ text: 'good bad more', chunkSize: 5 }),
    );
    await collect(run);
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'No more of that.', finishReason: 'halted' });
  });

  test('an invalid chunk fails the run and is not published', async () => {
    const run = await start('lied', ['liar'], script({ text: 'hello' }));
    const chunks = await collect(run);
    expect(chunks.at(-1)).toMatchObject({ type: 'error', payload: { error: { code: 'processor-failed' } } });
    expect(joinText(chunks)).toBe('');
  });

  test('a large state travels with its entry across stages, and an error for one over the limit names the entry and the size', async () => {
    const makeHoarder = (chars: number) => [{ use: 'hoarder', options: { chars } }, 'upper'];
    const run = await start('kept', makeHoarder(200_000), script({ text: 'hello' }));
    expect(joinText(await collect(run))).toBe('HELLO');
    expect((await run.result()).violations).toMatchObject([{ rule: 'kept-200011' }]);
    const other = await start('hoarded', makeHoarder(300_000), script({ text: 'hello' }));
    await collect(other);
    expect(await other.result()).toMatchObject({
      status: 'failed',
      error: { code: 'state-too-large', path: 'processOutputStream/hoarder' },
    });
    const events = JSON.stringify(await stack.client.runs.eventsDetail(other.runId));
    expect(events).toContain('300011 characters');
  });

  test('5,000 chunks keep their order over three sessions', async () => {
    const text = Array.from({ length: 5_000 }, (_, at) => `${at} `).join('');
    const run = await start('long', ['shape', 'listener', 'upper'], script({ text, chunkSize: 5 }));
    expect(joinText(await collect(run))).toBe(text);
  });

  test('many followers read one run, and a late one reads all of it', async () => {
    const run = await start('followed', ['upper'], script({ text: 'abcdef', chunkSize: 1, delayMs: 10 }));
    const followers = await Promise.all([1, 2, 3].map(() => stack.client.follow(run.runId)));
    const all = await Promise.all([run, ...followers].map(collect));
    expect(new Set(all.map(joinText))).toEqual(new Set(['ABCDEF']));
    expect(joinText(await collect(await stack.client.follow(run.runId)))).toBe('ABCDEF');
    const stages = (await stack.client.runs.events(run.runId)).filter((event) => event.event === 'stage');
    // The finish passes in the step's own sessions, so it is judged with the step.
    expect(stages.filter((event) => event.stage === 'processOutputStream')).toHaveLength(1);
  });
});
