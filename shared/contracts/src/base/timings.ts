// The waits that tests scale. The table holds a duration if a test waits for its whole length, or if two processes must agree on it. It
// holds no allowance for a slow machine (a ping, a connect timeout): a scaled test does not run on a faster machine.
import { MillraceError } from './errors.ts';

/** Names the environment variable that scales `timings`, in tests only. A process reads it once, when it loads this module. */
const TIME_SCALE_VARIABLE = 'MILLRACE_TIME_SCALE';

/** Production values, ms. */
const PRODUCTION_MS = {
  /** NATS redelivers a command if its owner has not extended the ack for this long. A killed owner loses its commands after it. */
  ackWaitMs: 20_000,
  /** An owner extends the ack of its command at this interval. */
  ackExtendMs: 3_000,
  /**
   * Writes and reads retry for this long while the bus is away. With `ackExtendMs` it is below `ackWaitMs`, so that NATS does not redeliver
   * the command of an owner that survives the outage. A stream that lost its leader refuses writes for 5 to 7 s.
   */
  outageMs: 15_000,
  /**
   * A connection pings NATS at this interval and closes after two pings without a pong. Three intervals are at most `outageMs`: an owner
   * that fails after `outageMs` requeues its command when the connection returns, and never does if the connection was not closed.
   */
  busPingMs: 5_000,
  /** A pull of commands expires after this, so that a pull that NATS lost in a restart is repeated. */
  pullMs: 5_000,
  /** A call waits this long for a replica that has room. It exceeds `ackWaitMs`: a slower owner has lost its command. */
  roomMs: 30_000,
  /** A call waits this long for a lost connection. It exceeds `ackWaitMs`: a slower owner has lost its command. */
  reconnectMs: 30_000,
  /** A command that waits for a place is requeued after this, so that an orchestrator with a free place can pull it. */
  commandHoldMs: 2_000,
  /** A held command that is older is dropped, because NATS may have redelivered it. It is below `ackWaitMs`. */
  commandStaleMs: 10_000,
  /** A command that a newer version must run is redelivered after this. */
  newerVersionMs: 2_000,
  /** An orchestrator discovers the replicas at this interval. */
  discoveryMs: 5_000,
  /** A replica that did not answer a ping is avoided for this long: two intervals of discovery. */
  silentReplicaMs: 10_000,
  /** A save waits this long for its memory's service: longer than a replica takes to restart. The run defers it then. */
  absentMemoryMs: 3_000,
  /** A model that failed repeatedly is not asked for this long. */
  circuitOpenMs: 5_000,
} as const;

/** Durations by name, ms. */
export type Timings = Readonly<Record<keyof typeof PRODUCTION_MS, number>>;

/** NATS clients refuse a shorter pull, ms. */
const MIN_PULL_MS = 1_000;
/** Scales below it shorten a wait to the time that a busy machine takes for one answer. */
const MIN_SCALE = 0.1;

/**
 * Multiplies the production values by a scale, so that the relations between them hold at every scale.
 * @param scale the value of `MILLRACE_TIME_SCALE`: a decimal number from 0.1 to 1; absent or empty: 1
 * @throws MillraceError `config-invalid` if it is anything else
 */
export function scaleTimings(scale: string | undefined): Timings {
  const factor = parseScale(scale);
  const scaleMs = (ms: number) => Math.round(ms * factor);
  return {
    ackWaitMs: scaleMs(PRODUCTION_MS.ackWaitMs),
    ackExtendMs: scaleMs(PRODUCTION_MS.ackExtendMs),
    outageMs: scaleMs(PRODUCTION_MS.outageMs),
    busPingMs: scaleMs(PRODUCTION_MS.busPingMs),
    pullMs: Math.max(scaleMs(PRODUCTION_MS.pullMs), MIN_PULL_MS),
    roomMs: scaleMs(PRODUCTION_MS.roomMs),
    reconnectMs: scaleMs(PRODUCTION_MS.reconnectMs),
    commandHoldMs: scaleMs(PRODUCTION_MS.commandHoldMs),
    commandStaleMs: scaleMs(PRODUCTION_MS.commandStaleMs),
    newerVersionMs: scaleMs(PRODUCTION_MS.newerVersionMs),
    discoveryMs: scaleMs(PRODUCTION_MS.discoveryMs),
    silentReplicaMs: scaleMs(PRODUCTION_MS.silentReplicaMs),
    absentMemoryMs: scaleMs(PRODUCTION_MS.absentMemoryMs),
    circuitOpenMs: scaleMs(PRODUCTION_MS.circuitOpenMs),
  };
}

function parseScale(scale = ''): number {
  if (scale === '') return 1;
  const factor = /^\d+(\.\d+)?$/.test(scale) ? Number(scale) : Number.NaN;
  if (factor >= MIN_SCALE && factor <= 1) return factor;
  const found = `${TIME_SCALE_VARIABLE} is ${JSON.stringify(scale)}, not a decimal number from ${MIN_SCALE} to 1.`;
  throw new MillraceError('config-invalid', found, {
    path: TIME_SCALE_VARIABLE,
    remedy: `Unset ${TIME_SCALE_VARIABLE}: only tests scale durations.`,
  });
}

/** The durations of this process: production values unless `MILLRACE_TIME_SCALE` is set. */
export const timings: Timings = scaleTimings(process.env[TIME_SCALE_VARIABLE]);
