// However a stream is cut, buffered and retracted, the released text is the text that was not retracted, and each
// earlier state is a prefix of it.
import type { Chunk, Release } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { dataChunk, delta, textEnd, makeText, textStart } from '../testing/chunks.ts';
import { publishedChunks } from '../testing/published-chunks.ts';
import { makeState } from '../testing/run-states.ts';
import { makeChunk } from './make-chunk.ts';
import { createReleaseGate } from './release-gate.ts';
import { reduceRun } from '../state/run-state.ts';

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
const retract = (index: number) => [makeChunk('run-1', { type: 'retract', payload: { index } })];

test.each<Release>(['chunk', 'step', 'result'])('release: %s', (release) => {
  fc.assert(
    fc.property(fc.array(deeds, { maxLength: 30 }), (script) => {
      const published = publishedChunks();
      const gate = createReleaseGate(published, release);
      /** The counted chunks, with the places that may still be used. */
      let settled: Chunk[] = [];
      let open: { place: number; chunk: Chunk }[] = [];
      let first = gate.getNextIndex();
      let state = makeState();
      const fits: boolean[] = [];
      for (const deed of script) {
        if ('say' in deed) {
          for (const one of deed.say) {
            open.push({ place: gate.getNextIndex(), chunk: one });
            gate.publish([one]);
          }
        } else if ('takeBack' in deed) {
          const from = open[deed.takeBack]?.place ?? gate.getNextIndex();
          open = open.filter(({ place }) => place < from);
          gate.takeBack(from, retract);
        } else if ('settle' in deed) {
          gate.settle(first);
          settled = [...settled, ...open.map((one) => one.chunk)];
          open = [];
          first = gate.getNextIndex();
        } else {
          // A checkpoint may merge, because no stream is open then.
          gate.settle(first);
          settled = [...settled, ...open.map((one) => one.chunk)];
          open = [];
          first = gate.getNextIndex();
          state = gate.takeUnrecorded(first).reduce(reduceRun, state);
          fits.push(makeText([...published.visible(), ...state.held]) === makeText(settled));
        }
        const said = [...settled, ...open.map((one) => one.chunk)];
        fits.push(makeText(said).startsWith(makeText(published.visible())));
      }
      expect(fits).not.toContain(false);
      gate.release();
      expect(makeText(published.visible())).toBe(makeText([...settled, ...open.map((one) => one.chunk)]));
    }),
    { numRuns: 500 },
  );
});
