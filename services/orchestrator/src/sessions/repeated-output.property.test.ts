// For generated streams, the client's final text is the latest output, whatever was published before.
import type { Chunk } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { dataChunk, delta, textEnd, textStart } from '../testing/chunks.ts';
import { compareWith } from './repeated-output.ts';

function randomFrom(seed: number) {
  let state = seed;
  return (below: number) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
/** A stream of two concurrent parts, cut by the seed. */
function makeStream(random: (below: number) => number, texts: Record<string, string>): Chunk[] {
  const chunks: Chunk[] = Object.keys(texts).map((id) => textStart(id));
  const left = { ...texts };
  for (;;) {
    const open = Object.keys(left).filter((id) => left[id] !== '');
    const id = open[random(open.length)];
    if (id === undefined) break;
    const text = left[id] ?? '';
    const length = 1 + random(Math.min(4, text.length));
    chunks.push(delta(text.slice(0, length), id));
    left[id] = text.slice(length);
    if (random(5) === 0) chunks.push(dataChunk('note', chunks.length));
  }
  return [...chunks, ...Object.keys(texts).map((id) => textEnd(id))];
}
const listTexts = (chunks: readonly Chunk[]) => {
  const texts: Record<string, string> = {};
  for (const { type, payload } of chunks.filter((one) => one.type === 'text-delta'))
    if (type === 'text-delta') texts[payload.id] = `${texts[payload.id] ?? ''}${payload.text}`;
  return texts;
};
const controls = (chunks: readonly Chunk[]) =>
  chunks.filter(({ type }) => type === 'text-start' || type === 'text-end');

test('a client ends with the stream of the latest output, whatever was published and wherever it broke off', () => {
  for (let seed = 1; seed <= 3_000; seed++) {
    const random = randomFrom(seed);
    const first = { a: 'the first part of it', b: 'and the second one' };
    // Sometimes the second output has another text.
    const second = random(2) === 0 ? first : { a: 'the first pArt of it', b: 'and the second on' };
    const published = makeStream(random, first);
    published.length = random(published.length + 1);
    const again = makeStream(random, second);
    const comparison = compareWith(published);
    const seen = [...published];
    const take = ({ kept = seen.length, chunks }: { kept?: number; chunks: readonly Chunk[] }) => {
      seen.length = kept;
      seen.push(...chunks);
    };
    for (let at = 0; at < again.length;) {
      const size = 1 + random(4);
      take(comparison.compare(again.slice(at, at + size)));
      at += size;
    }
    take(comparison.end());
    expect(listTexts(seen), `seed ${seed}`).toEqual(second);
    expect(controls(seen), `seed ${seed}`).toEqual(controls(again));
  }
});
