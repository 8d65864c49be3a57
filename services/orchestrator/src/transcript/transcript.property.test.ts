// If a transcript is cut, buffered, held, replaced and withdrawn in any way, and its owner is lost after any record, the
// published text is the text that was not withdrawn, and each earlier state is a prefix of it.
import type { Chunk, Release } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { dataChunk, delta, textEnd, makeText, textStart } from '../testing/chunks.ts';
import { publishedChunks } from '../testing/published-chunks.ts';
import { reduceInTest, retract } from '../testing/reduced-transcripts.ts';
import { makeState } from '../testing/run-states.ts';
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
const several = fc.array(chunks, { maxLength: 6 });
/** `replace`: number of the place that is replaced. `lose`: the owner is lost after the record. */
type Deed =
  | { say: Chunk[] }
  | { withdraw: number }
  | { replace: number; by: Chunk[] }
  | { settle: true }
  | { hold: true }
  | { record: true; lose: boolean };
const deeds: fc.Arbitrary<Deed> = fc.oneof(
  { weight: 5, arbitrary: several.map((say) => ({ say })) },
  { weight: 2, arbitrary: fc.nat(20).map((withdraw) => ({ withdraw })) },
  fc.record({ replace: fc.nat(20), by: several }),
  fc.constant({ settle: true as const }),
  fc.constant({ hold: true as const }),
  fc.boolean().map((lose) => ({ record: true as const, lose })),
);

test.each<Release>(['chunk', 'step', 'result'])(
  'the published text is the text that counts, with release: %s',
  (release) => {
    fc.assert(
      fc.property(fc.array(deeds, { maxLength: 30 }), (script) => {
        const published = publishedChunks();
        let transcript = reduceInTest(release, published);
        /** The counted chunks: those without a place that is used again, and the others with theirs. */
        let settled: Chunk[] = [];
        let open: { place: number; chunk: Chunk }[] = [];
        let first = transcript.getNextPlace();
        let isHeld = false;
        let state = makeState();
        const fits: boolean[] = [];
        const say = (said: readonly Chunk[]) => {
          for (const chunk of said) {
            open.push({ place: transcript.getNextPlace(), chunk });
            transcript.append([chunk]);
          }
        };
        const settle = () => {
          transcript.settle(first);
          settled = [...settled, ...open.map((one) => one.chunk)];
          open = [];
          first = transcript.getNextPlace();
        };
        for (const deed of script) {
          if ('say' in deed) say(deed.say);
          else if ('withdraw' in deed) {
            const from = open[deed.withdraw]?.place ?? transcript.getNextPlace();
            open = open.filter(({ place }) => place < from);
            transcript.withdraw(from);
          } else if ('replace' in deed) {
            // Published chunks stay: a caller replaces buffered ones only.
            const from = Math.max(open[deed.replace]?.place ?? Infinity, published.getNextIndex());
            if (!open.some(({ place }) => place === from)) continue;
            open = open.filter(({ place }) => place < from);
            transcript.dispatch({ type: 'replaced', from, chunks: [] });
            say(deed.by);
          } else if ('settle' in deed) settle();
          else if ('hold' in deed) {
            transcript.dispatch({ type: isHeld ? 'hold-ended' : 'held' });
            isHeld = !isHeld;
          } else {
            // A record may merge, because no stream is open then.
            settle();
            state = transcript.record(first).reduce(reduceRun, state);
            fits.push(makeText([...published.visible(), ...state.held]) === makeText(settled));
            if (deed.lose) {
              published.publish(retract(published.getNextIndex()));
              transcript = reduceInTest(release, published);
              transcript.restore(state.held);
              first = transcript.getNextPlace();
              isHeld = false;
            }
          }
          const said = [...settled, ...open.map((one) => one.chunk)];
          fits.push(makeText(said).startsWith(makeText(published.visible())));
          fits.push(makeText([...published.visible(), ...transcript.listBuffered()]) === makeText(said));
        }
        expect(fits).not.toContain(false);
        if (isHeld) transcript.dispatch({ type: 'hold-ended' });
        transcript.release();
        expect(makeText(published.visible())).toBe(makeText([...settled, ...open.map((one) => one.chunk)]));
      }),
      { numRuns: 500 },
    );
  },
);

test('an earlier state of a transcript keeps its chunks', () => {
  fc.assert(
    fc.property(several, several, several, (before, one, other) => {
      const transcript = reduceInTest('result');
      transcript.append(before);
      const fork = transcript.fork();
      transcript.append(one);
      fork.append(other);
      expect([transcript.listBuffered(), fork.listBuffered()]).toEqual([
        [...before, ...one],
        [...before, ...other],
      ]);
    }),
  );
});
