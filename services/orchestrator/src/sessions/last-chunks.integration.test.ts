// The last chunks of a step's stream: built from the whole output when it has passed; if they are lost with their
// sessions, nothing else is lost.
import { eventually, useBus, useNats } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { dataChunk, delta, say, textEnd, makeText, textStart, listTypes } from '../testing/chunks.ts';
import { hangsAtData, releaseFragile } from '../testing/fragile-processors.ts';
import { useFragileSteps, type FragileStep } from '../testing/fragile-steps.ts';

const nats = useNats();
const connection = useBus(nats, 'orchestrator');
const { guards, step, entry } = useFragileSteps(nats, connection);

describe('the last chunks of a step', () => {
  const note = dataChunk('last');
  /** They are built from the types of the chunks before them. */
  const makeEnd = ({ chain, chunks }: FragileStep) => {
    const made: string[][] = [];
    return { made, end: chain.end(() => (made.push(listTypes(chunks)), [note])) };
  };

  test('are built when all other chunks have passed, and leave separately', async () => {
    const all = await step(entry('redactor'), entry('other'), entry('upper'));
    all.push(textStart(), delta('a [b'), delta('c] d'), textEnd());
    const { made, end } = makeEnd(all);
    expect((await end).last).toEqual([note]);
    expect(made).toEqual([listTypes(all.chunks)]);
    expect(makeText(all.chunks)).toBe('A *** D');
  });

  test('are absent if none are built', async () => {
    const { chain, push, chunks } = await step(entry('upper'));
    push(...say('a'));
    expect(await chain.end(() => [])).not.toHaveProperty('last');
    expect(makeText(chunks)).toBe('A');
  });

  test('are lost with their sessions, and nothing else of the step is', async () => {
    const all = await step(entry('hangs-at-data'), entry('upper'));
    all.push(...say('a', 'b'));
    const { end } = makeEnd(all);
    await eventually(() => hangsAtData());
    await guards.kill();
    await guards.start();
    releaseFragile();
    expect(await end).not.toHaveProperty('last');
    expect(makeText(all.chunks)).toBe('AB');
    expect([all.kept, listTypes(all.chunks)]).toEqual([[], ['text-start', 'text-delta', 'text-delta', 'text-end']]);
  }, 30_000);

  test('that a processor stops at report the stop, and the chunks before them stay', async () => {
    const all = await step(entry('upper'), entry('aborts-at-data'));
    all.push(...say('a', 'b'));
    const { end } = makeEnd(all);
    expect(await end).toMatchObject({ last: [], stopped: { verdict: { type: 'abort' } } });
    expect(makeText(all.chunks)).toBe('AB');
  });
});
