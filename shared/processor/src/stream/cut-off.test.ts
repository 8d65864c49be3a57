// Tests a stream that one processor stops: the state of the others keeps their counts and contains no text that was not
// passed.
import type { Chunk, JsonObject, Verdict } from '@millrace/contracts';
import { callContext, callEntry } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { createHostedProcessors } from '../serve/hosted-processor.ts';
import { delta, formatChunk, streaming, streamThrough } from '../testing/streaming.ts';
import { createStreamChain } from '../serve/stream-chain.ts';

const stop = streaming('stop', ({ part, abort }) => (formatChunk(part) === 'c' ? abort('no') : part));
const pass = streaming('pass', ({ part }) => part);
/** Buffers all text until its part ends, and reports a violation for each delta. */
const keeper = streaming('keeper', ({ part, state, onViolation }) => {
  if (part.type === 'text-end') return keptThen(part, state);
  if (part.type !== 'text-delta') return part;
  onViolation({ message: 'a piece' });
  state['seen'] = Number(state['seen'] ?? 0) + 1;
  state['kept'] = `${typeof state['kept'] === 'string' ? state['kept'] : ''}${part.payload.text}`;
  return part.payload.text === 'a' ? null : part;
});
function keptThen(end: Chunk, state: JsonObject): Chunk[] {
  const { kept } = state;
  delete state['kept'];
  return typeof kept === 'string' ? [delta(kept), end] : [end];
}
const texts = (...list: string[]) => list.map((text) => delta(text));
const [second, fourth] = [{ state: { seen: 2 } }, { state: { seen: 4 } }];

describe('a stream that another processor stops', () => {
  test('A preceding processor returns its state without the buffered text, and its violations', async () => {
    const { out, verdicts } = await streamThrough([keeper, stop], texts('b', 'c', 'd'));
    expect(out).toEqual(['b']);
    expect(verdicts).toMatchObject([{ type: 'continue', ...second }, { type: 'abort' }]);
    expect(verdicts[0]).toHaveProperty('violations.length', 2);
    expect(JSON.stringify(verdicts[0])).not.toContain('kept');
  });

  test('A later processor returns its state without the buffered text, and its violations', async () => {
    const { verdicts } = await streamThrough([stop, keeper], texts('a', 'b', 'c'));
    expect(verdicts[1]).toMatchObject({ type: 'continue', ...second });
    expect(JSON.stringify(verdicts[1])).not.toContain('kept');
  });

  test('A running processor is cancelled and then returns its state', async () => {
    const waiting = streaming('waiting', async ({ part, state, abortSignal }) => {
      state['seen'] = Number(state['seen'] ?? 0) + 1;
      if (formatChunk(part) === 'a') await new Promise((_, reject) => abortSignal.addEventListener('abort', reject));
      return part;
    });
    const { out, verdicts } = await streamThrough([stop, waiting], texts('a', 'b', 'c'));
    expect(out).toEqual([]);
    // A delta, and the end of its part.
    expect(verdicts[1]).toMatchObject({ type: 'continue', state: { seen: 2 } });
  });

  test('A hanging processor loses only its own state', async () => {
    const stuck = streaming('stuck', async ({ part, state, onViolation }) => {
      state['kept'] = 'a secret';
      onViolation({ message: 'found' });
      if (formatChunk(part) === 'a') await new Promise(() => undefined);
      return part;
    });
    const { verdicts } = await streamThrough([stop, stuck], texts('a', 'b', 'c'));
    expect(verdicts[1]).toEqual({ type: 'continue', violations: [expect.objectContaining({ message: 'found' })] });
  });

  test('A hanging processor with a state that is not JSON has not failed', async () => {
    const stuck = streaming('stuck', async ({ part, state }) => {
      Object.assign(state, { half: () => 1 });
      if (formatChunk(part) === 'a') await new Promise(() => undefined);
      return part;
    });
    const { verdicts } = await streamThrough([stop, stuck], texts('a', 'b', 'c'));
    expect(verdicts[1]).toEqual({ type: 'continue' });
  });

  test('A processor that throws at the end of its part loses only its own state', async () => {
    const breaking = streaming('breaking', ({ part, state }) => {
      state['kept'] = 'a secret';
      if (part.type === 'text-end') throw new Error('no');
      return part;
    });
    const { verdicts } = await streamThrough([breaking, stop], texts('a', 'c'));
    expect(verdicts[0]).toEqual({ type: 'continue' });
  });
});

describe('a stream that is stopped from outside', () => {
  const openStream = (definitions: Parameters<typeof streamThrough>[0], chunks: Chunk[]) => {
    const hosted = createHostedProcessors(definitions);
    const members = definitions.map(({ id }) => {
      const found = hosted(callEntry(id));
      if (!found) throw new Error(`${id} is not hosted`);
      return { entry: callEntry(id), hosted: found };
    });
    const out: string[] = [];
    const events = { output: (chunk: Chunk) => void out.push(formatChunk(chunk)), progress: ignore, onStopped: ignore };
    const chain = createStreamChain(members, { retryCount: 0, stepNumber: 0 }, callContext(), events);
    for (const chunk of chunks) chain.push(chunk);
    return { chain, out };
  };
  const ignore = () => undefined;

  test('A stopped stream sends nothing more and returns the states of its processors', async () => {
    const { chain, out } = openStream([keeper, pass], texts('a', 'b'));
    const telling = chain.requestVerdicts();
    for (const chunk of texts('c', 'd')) chain.push(chunk);
    await telling;
    expect(out).toEqual(['b']);
    expect(chain.readVerdicts()).toMatchObject([{ type: 'continue', ...second }, { type: 'continue' }]);
  });

  test('A processor that stopped before keeps that verdict', async () => {
    const { chain } = openStream([keeper, stop, pass], texts('a', 'b', 'b', 'c'));
    await chain.requestVerdicts();
    expect(chain.readVerdicts() satisfies Verdict[]).toMatchObject([
      { type: 'continue', ...fourth },
      { type: 'abort' },
      {},
    ]);
  });
});
