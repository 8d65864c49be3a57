import { describe, expect, test } from 'vitest';
import { scaleTimings } from './timings.ts';

const production = scaleTimings(undefined);

describe('scaleTimings', () => {
  test('returns production values if the variable is absent, empty or 1', () => {
    expect(production).toMatchObject({ ackWaitMs: 20_000, ackExtendMs: 3_000, outageMs: 15_000, discoveryMs: 5_000 });
    expect(['', '1', '1.0'].map(scaleTimings)).toEqual([production, production, production]);
  });

  test('multiplies every duration by the scale', () => {
    const scaled = scaleTimings('0.2');
    expect(scaled).toMatchObject({ ackWaitMs: 4_000, ackExtendMs: 600, outageMs: 3_000, discoveryMs: 1_000 });
    expect(scaled).toEqual(Object.fromEntries(Object.entries(production).map(([name, ms]) => [name, ms / 5])));
  });

  test('keeps a pull at one second, because NATS clients refuse a shorter one', () => {
    expect(scaleTimings('0.1')).toMatchObject({ ackWaitMs: 2_000, pullMs: 1_000 });
  });

  test.each(['0', '0.05', '2', '-1', 'fast', '1e-1', ' 0.5', '0,5', 'Infinity', 'NaN'])(
    'rejects %j with the variable and the remedy',
    (scale) => {
      expect(() => scaleTimings(scale)).toThrow(
        expect.objectContaining({
          code: 'config-invalid',
          path: 'MILLRACE_TIME_SCALE',
          message: `MILLRACE_TIME_SCALE is ${JSON.stringify(scale)}, not a decimal number from 0.1 to 1.`,
          remedy: 'Unset MILLRACE_TIME_SCALE: only tests scale durations.',
        }),
      );
    },
  );
});

describe.each(['1', '0.5', '0.2', '0.1'])('the timings at scale %s', (scale) => {
  const timings = scaleTimings(scale);

  test('let an owner survive an outage before NATS redelivers its command', () => {
    expect(timings.outageMs + timings.ackExtendMs).toBeLessThan(timings.ackWaitMs);
  });
  test('let a connection notice an outage before its owner gives up', () => {
    expect(3 * timings.busPingMs).toBeLessThanOrEqual(timings.outageMs);
  });
  test('let a call wait longer than NATS waits for the ack of its command', () => {
    expect(timings.roomMs).toBeGreaterThan(timings.ackWaitMs);
    expect(timings.reconnectMs).toBeGreaterThan(timings.ackWaitMs);
  });
  test('drop a held command before NATS redelivers it, and requeue it earlier', () => {
    expect(timings.commandStaleMs).toBeLessThan(timings.ackWaitMs);
    expect(timings.commandHoldMs).toBeLessThan(timings.commandStaleMs);
  });
  test('avoid a silent replica for two intervals of discovery', () => {
    expect(timings.silentReplicaMs).toBe(2 * timings.discoveryMs);
  });
});
