// However a stream is cut, held and taken back: what has come out in the end is what was not taken back, and what comes out before is
// the beginning of it.
import type { Chunk, Release } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { dataChunk, delta, textEnd, textOf, textStart } from '../testing/chunks.ts';
import { publishedChunks } from '../testing/published-chunks.ts';
import { stateOf } from '../testing/run-states.ts';
import { chunk } from './make-chunk.ts';
import { createReleaseGate } from './release-gate.ts';
import { reduceRun } from './run-state.ts';

const chunks = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .constantFrom('One', ' is.', ' T', 'wo. T', 'hree! F', '\n', 'our? Five. S')
      .map((text) => delta(text)),
  },
  { weight: 2, arbitrary: fc.constantFrom('Other. ', 'p').map((text) => delta(text, 'b')) },
  fc.constantFrom(textStart(), textEnd(), textEnd('b'), dataChunk('x')),
);
type Deed = { say: Chunk[] } | { takeBack: number } | { settle: true } | { record: true };
const deeds: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 5, arbitrary: fc.array(chunks, { maxLength: 6 }).map((say) => ({ say })) },
  { weight: 2, arbitrary: fc.nat(20).map((takeBack) => ({ takeBack })) },
  fc.constant({ settle: true as const }),
  fc.constant({ record: true as const }),
);
const retract = (index: number) => [chunk('run-1', { type: 'retract', payload: { index } })];

test.each<Release>(['chunk', 'sentence', 'step', 'result'])('release: %s', (release) => {
  fc.assert(
    fc.property(fc.array(deeds, { maxLength: 30 }), (script) => {
      const published = publishedChunks();
      const gate = createReleaseGate(published, release);
      /** What counts, with the places that may still be named. */
      let settled: Chunk[] = [];
      let open: { place: number; chunk: Chunk }[] = [];
      let first = gate.nextIndex();
      let state = stateOf();
      const fits: boolean[] = [];
      for (const deed of script) {
        if ('say' in deed) {
          for (const one of deed.say) {
            open.push({ place: gate.nextIndex(), chunk: one });
            gate.publish([one]);
          }
        } else if ('takeBack' in deed) {
          const from = open[deed.takeBack]?.place ?? gate.nextIndex();
          open = open.filter(({ place }) => place < from);
          gate.takeBack(from, retract);
        } else if ('settle' in deed) {
          gate.settle(first);
          settled = [...settled, ...open.map((one) => one.chunk)];
          open = [];
          first = gate.nextIndex();
        } else {
          // A checkpoint may merge: no stream is open then.
          gate.settle(first);
          settled = [...settled, ...open.map((one) => one.chunk)];
          open = [];
          first = gate.nextIndex();
          state = gate.unrecorded(first).reduce(reduceRun, state);
          fits.push(textOf([...published.visible(), ...state.held]) === textOf(settled));
        }
        const said = [...settled, ...open.map((one) => one.chunk)];
        fits.push(textOf(said).startsWith(textOf(published.visible())));
      }
      expect(fits).not.toContain(false);
      gate.release();
      expect(textOf(published.visible())).toBe(textOf([...settled, ...open.map((one) => one.chunk)]));
    }),
    { numRuns: 500 },
  );
});
