import { failureCauseSchema, timings, type FailureCause } from '@millrace/contracts';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  CLOSED,
  circuitSchema,
  isOfRoute,
  countCall,
  failCircuit,
  takeLease,
  readOpenUntil,
  closeCircuit,
  type Circuit,
  type RouteCounts,
} from './circuit.ts';

const T0 = 1_800_000_000_000;
const count = (failed: number, succeeded = 0): RouteCounts => ({ since: T0, failed, succeeded });

test.each<[string, FailureCause, RouteCounts, number | undefined]>([
  ['after three failures', 'unavailable', count(3), timings.circuitOpenMs],
  ['not after two failures', 'unavailable', count(2), undefined],
  ['not if most calls succeed', 'unavailable', count(3, 4), undefined],
  ['at once if the key is refused, for longer', 'unauthorized', count(1), 12 * timings.circuitOpenMs],
])('A circuit opens %s', (_title, cause, counts, openMs) => {
  const circuit = failCircuit(CLOSED, { cause }, counts, 'a', T0);
  expect(readOpenUntil(circuit, T0)).toBe(openMs === undefined ? undefined : T0 + openMs);
});

test.each<FailureCause>(['too-long', 'refused', 'invalid', 'internal'])(
  'A failure of the cause %s never opens a circuit',
  (cause) => {
    expect(isOfRoute({ cause })).toBe(false);
    expect(failCircuit(CLOSED, { cause }, count(99), 'a', T0)).toBe(CLOSED);
  },
);

test('A circuit stays open until the time that the provider requests', () => {
  const circuit = failCircuit(CLOSED, { cause: 'throttled', retryAt: T0 + 90_000 }, count(1), 'a', T0);
  expect(readOpenUntil(circuit, T0 + 89_999)).toBe(T0 + 90_000);
  expect(readOpenUntil(circuit, T0 + 90_000)).toBeUndefined();
});

test('One leased call at a time tries an open circuit: its success closes it, and its failure opens it for longer', () => {
  const open = failCircuit(CLOSED, { cause: 'unavailable' }, count(3), 'a', T0);
  const at = T0 + timings.circuitOpenMs;
  const leased = takeLease(open, 'b', at) ?? CLOSED;
  expect(readOpenUntil(leased, at)).toBeGreaterThan(at);
  expect(closeCircuit(leased, 'a')).toBe(leased);
  expect(closeCircuit(leased, 'b')).toBe(CLOSED);
  const again = failCircuit(leased, { cause: 'unavailable' }, count(4), 'b', at);
  expect(again).toMatchObject({ opens: 2, until: at + 2 * timings.circuitOpenMs });
});

test('Calls are counted in a window', () => {
  const first = countCall(undefined, true, T0);
  expect(countCall(first, true, T0 + 29_999)).toEqual({ since: T0, failed: 2, succeeded: 0 });
  expect(countCall(first, false, T0 + 30_000)).toEqual({ since: T0 + 30_000, failed: 0, succeeded: 1 });
});

const anyStep = fc.record({
  kind: fc.constantFrom('fail', 'succeed', 'lease'),
  cause: fc.constantFrom(...failureCauseSchema.options),
  owner: fc.constantFrom('a', 'b', 'c'),
  afterMs: fc.integer({ min: 0, max: 60_000 }),
});

test('An open circuit has at most one lease, opens for a bounded time, and is valid when stored, whatever happens', () => {
  fc.assert(
    fc.property(fc.array(anyStep, { maxLength: 60 }), (steps) => {
      let circuit: Circuit = CLOSED;
      let counts: RouteCounts | undefined;
      let now = T0;
      for (const { kind, cause, owner, afterMs } of steps) {
        now += afterMs;
        const until = readOpenUntil(circuit, now);
        if (kind === 'lease' && until === undefined) circuit = takeLease(circuit, owner, now) ?? circuit;
        if (kind === 'succeed') circuit = closeCircuit(circuit, owner);
        if (kind === 'fail') {
          counts = countCall(counts, true, now);
          circuit = failCircuit(circuit, { cause }, counts, owner, now);
        }
        expect(circuitSchema.parse(JSON.parse(JSON.stringify(circuit)))).toEqual(circuit);
        expect((readOpenUntil(circuit, now) ?? now) - now).toBeLessThanOrEqual(600_000);
      }
    }),
  );
});
