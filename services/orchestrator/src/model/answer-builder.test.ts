import { readMessageText, type Chunk } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { delta, say, textEnd, textStart } from '../testing/chunks.ts';
import { RUN_ID } from '../testing/run-states.ts';
import { createAnswerBuilder } from './answer-builder.ts';
import { makeChunk } from '../transcript/make-chunk.ts';

const buildMade = (...chunks: Chunk[]) => {
  const builder = createAnswerBuilder('run-1.0');
  for (const one of chunks) builder.add(one);
  return builder;
};
const of = (type: string, payload: object) => makeChunk(RUN_ID, { type, payload });
const types = (...chunks: Chunk[]) =>
  buildMade(...chunks)
    .buildMessage()
    .content.parts.map(({ type }) => type);

describe('an answer that is built from chunks', () => {
  test('has the text that passed', () => {
    const builder = buildMade(...say('Hello', ', ', 'Ada.'));
    expect(builder.buildMessage()).toMatchObject({ id: 'run-1.0', role: 'assistant' });
    expect(readMessageText(builder.buildMessage())).toBe('Hello, Ada.');
  });

  test('keeps its parts in the order in which they began, even if their deltas are interleaved', () => {
    const builder = buildMade(
      textStart('a'),
      textStart('b'),
      delta('2', 'b'),
      delta('1', 'a'),
      textEnd('a'),
      delta('2', 'b'),
    );
    expect(builder.buildMessage().content.parts).toEqual([
      { type: 'text', text: '1' },
      { type: 'text', text: '22' },
    ]);
    expect(builder.isMixed()).toBe(true);
  });

  test('is no mixture if each part follows the one that began before it', () => {
    const parts = [textStart('a'), textStart('b'), delta('1', 'a'), delta('2', 'b'), textEnd('a'), textEnd('b')];
    expect(buildMade(...parts, ...say('3', '4')).isMixed()).toBe(false);
    expect(buildMade(...say('1', '2'), ...say('3')).isMixed()).toBe(false);
  });

  test('has a part for text without its start, and none for empty text', () => {
    expect(types(delta('late', 'x'), ...say())).toEqual(['text']);
  });

  test('begins a new part if an ended id is used again', () => {
    expect(types(...say('a'), ...say('b'))).toEqual(['text', 'text']);
  });

  test('has reasoning, calls, sources and files', () => {
    const chunks = [
      of('reasoning-start', { id: 'r' }),
      of('reasoning-delta', { id: 'r', text: 'Hm' }),
      of('reasoning-end', { id: 'r' }),
      of('tool-call', { toolCallId: 'c1', toolName: 'clock', args: { a: 1 } }),
      of('tool-call', { toolCallId: 'c2', toolName: 'search', providerExecuted: true }),
      of('source', { id: 's', sourceType: 'url', title: '' }),
      of('file', { data: 'aGk=', mimeType: 'text/plain' }),
    ];
    const builder = buildMade(...chunks);
    expect(builder.readReasoning()).toBe('Hm');
    expect(builder.buildMessage().content.parts).toMatchObject([
      { type: 'reasoning', reasoning: 'Hm' },
      { type: 'tool-invocation', toolInvocation: { state: 'call', toolCallId: 'c1', args: { a: 1 } } },
      { type: 'tool-invocation', toolInvocation: { args: null }, providerExecuted: true },
      { type: 'source' },
      { type: 'file', data: 'aGk=' },
    ]);
    expect(builder.listChunks()).toEqual(chunks);
  });

  test('has the last result of a provider’s own tool, and of no other tool', () => {
    const call = of('tool-call', { toolCallId: 'c', toolName: 'search', providerExecuted: true });
    const own = of('tool-call', { toolCallId: 'o', toolName: 'clock' });
    const result = (toolCallId: string, value: string) =>
      of('tool-result', { toolCallId, toolName: 't', result: value });
    const builder = buildMade(call, own, result('c', 'first'), result('c', 'last'), result('o', 'forged'));
    expect(builder.buildMessage().content.parts).toMatchObject([
      { toolInvocation: { state: 'result', result: 'last', isError: false } },
      { toolInvocation: { state: 'call' } },
    ]);
  });

  test('has the warnings and the response that passed', () => {
    const builder = buildMade(
      of('step-start', { warnings: [{ type: 'other' }] }),
      of('response-metadata', { id: 'r', modelId: 'm' }),
    );
    expect(builder.readWarnings()).toEqual([{ type: 'other' }]);
    expect(builder.readResponse()).toEqual({ id: 'r', modelId: 'm' });
    expect(buildMade().readWarnings()).toEqual([]);
    expect(buildMade().readResponse()).toBeUndefined();
  });

  test('ignores chunks that are not part of an answer', () => {
    const piece = of('tool-call-delta', { toolCallId: 'c1', argsTextDelta: '{}' });
    expect(types(of('step-start', {}), of('response-metadata', {}), piece)).toEqual([]);
  });
});

describe('an answer that is too large', () => {
  const half = 'x'.repeat(512 * 1024);

  test('is refused by name before it is recorded', () => {
    const builder = buildMade(...say(half), ...say(half));
    expect(() => builder.add(delta('x'))).toThrow(expect.objectContaining({ code: 'model-answer-too-large' }));
  });

  test('is detected while its arguments are streamed, which are not counted twice', () => {
    const piece = of('tool-call-delta', { toolCallId: 'c', argsTextDelta: half });
    const whole = of('tool-call', { toolCallId: 'c', toolName: 't', args: half.slice(2) });
    expect(buildMade(piece, whole).buildMessage().content.parts).toHaveLength(1);
    const builder = buildMade(piece, piece);
    expect(() => builder.add(piece)).toThrow(expect.objectContaining({ code: 'model-answer-too-large' }));
  });

  test('may have at most 128 tool calls', () => {
    const call = (n: number) => of('tool-call', { toolCallId: `c${n}`, toolName: 't', args: {} });
    const builder = buildMade(...Array.from({ length: 128 }, (_, n) => call(n)));
    expect(() => builder.add(call(128))).toThrow(expect.objectContaining({ code: 'model-answer-too-large' }));
  });

  test('may have at most 1,024 parts of text, empty ones included', () => {
    const build = (count: number, text: string) =>
      buildMade(...Array.from({ length: count }, (_, at) => [textStart(`${at}`), delta(text, `${at}`)]).flat());
    expect(() => build(1_024, 'a')).not.toThrow();
    for (const text of ['a', ''])
      expect(() => build(1_025, text)).toThrow(expect.objectContaining({ code: 'model-answer-too-large' }));
    const starts = Array.from({ length: 1_025 }, (_, at) => textStart(`${at}`));
    expect(() => buildMade(...starts)).toThrow(expect.objectContaining({ code: 'model-answer-too-large' }));
  });

  test('is detected if it consists of countless chunks without text or of long sources', () => {
    const empty = buildMade();
    const fill = () => {
      for (let n = 0; n <= 256 * 1024; n++) empty.add(delta(''));
    };
    expect(fill).toThrow(expect.objectContaining({ code: 'model-answer-too-large' }));
    const source = of('source', { id: 's', sourceType: 'url', title: half, url: 'https://example.org' });
    expect(() => buildMade(source, source)).toThrow(expect.objectContaining({ code: 'model-answer-too-large' }));
  });

  test('counts reasoning, arguments and files too', () => {
    const builder = buildMade(delta(half), of('reasoning-delta', { id: 'r', text: half.slice(10) }));
    const call = of('tool-call', { toolCallId: 'c', toolName: 't', args: { long: 'twelve chars' } });
    expect(() => builder.add(call)).toThrow(expect.objectContaining({ code: 'model-answer-too-large' }));
  });

  test('may have more data outside its text than in it, within a bound', () => {
    const raw = of('raw', { sent: 'x'.repeat(4 * 1024 * 1024) });
    const builder = buildMade(raw, raw, raw);
    expect(() => builder.add(raw)).toThrow(expect.objectContaining({ code: 'model-answer-too-large' }));
  });
});
