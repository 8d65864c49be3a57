// The last chunks of a step's stream: made of what was let through, when all of that is out; lost with their sessions, and nothing else is.
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, say, textEnd, textOf, textStart, typesOf } from '../testing/chunks.ts';
import { hangsAtData, releaseFragile } from '../testing/fragile-processors.ts';
import { useFragileSteps, type FragileStep } from '../testing/fragile-steps.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const { guards, step, entry } = useFragileSteps(nats, connection);

describe('the last chunks of a step', () => {
  const note = dataChunk('last');
  /** The kinds of what came before them are what they are made of. */
  const ended = ({ chain, chunks }: FragileStep) => {
    const made: string[][] = [];
    return { made, end: chain.end(() => (made.push(typesOf(chunks)), [note])) };
  };

  test('are made when all else is out, and come out by themselves', async () => {
    const all = await step(entry('redactor'), entry('other'), entry('upper'));
    all.push(textStart(), delta('a [b'), delta('c] d'), textEnd());
    const { made, end } = ended(all);
    expect((await end).last).toEqual([note]);
    expect(made).toEqual([typesOf(all.chunks)]);
    expect(textOf(all.chunks)).toBe('A *** D');
  });

  test('are none where none are made', async () => {
    const { chain, push, chunks } = await step(entry('upper'));
    push(...say('a'));
    expect(await chain.end(() => [])).not.toHaveProperty('last');
    expect(textOf(chunks)).toBe('A');
  });

  test('are lost with their sessions, and nothing else of the step is', async () => {
    const all = await step(entry('hangs-at-data'), entry('upper'));
    all.push(...say('a', 'b'));
    const { end } = ended(all);
    await eventually(() => hangsAtData());
    await guards.kill();
    await guards.start();
    releaseFragile();
    expect(await end).not.toHaveProperty('last');
    expect(textOf(all.chunks)).toBe('AB');
    expect([all.kept, typesOf(all.chunks)]).toEqual([[], ['text-start', 'text-delta', 'text-delta', 'text-end']]);
  }, 30_000);

  test('that a processor stops at say so, and what was let through before them stays', async () => {
    const all = await step(entry('upper'), entry('aborts-at-data'));
    all.push(...say('a', 'b'));
    const { end } = ended(all);
    expect(await end).toMatchObject({ last: [], stopped: { verdict: { type: 'abort' } } });
    expect(textOf(all.chunks)).toBe('AB');
  });
});
