// The time of the NATS server, as the one clock of all orchestrators: deadlines in heads, expiries and schedules are compared by processes on
// several machines, and their own clocks may differ or step. The time between two readings is measured by the monotonic clock of the process.
import { MillraceError, toLoggedError } from '@millrace/contracts';
import { z } from 'zod';
import type { Bus } from '../core/bus.ts';

/** The clock of this machine may differ from the server's by this before it is reported, ms. */
const REPORTED_SKEW_MS = 5_000;
const READ_TIMEOUT_MS = 2_000;

export type ServerClock = {
  /** Milliseconds since 1970 by the server's clock; by that of this machine before the first reading. */
  now(): number;
  /** Reads the server's time, and reports a clock of this machine that differs from it. A reading that fails is logged. */
  read(): Promise<void>;
};

/** @param stream any stream of the server: its info carries the server's time */
export function createServerClock(bus: Bus, stream: string): ServerClock {
  let offset = Date.now() - performance.now();
  let reported = false;
  const report = (serverMs: number) => {
    const skewMs = Math.round(Date.now() - serverMs);
    const isOff = Math.abs(skewMs) > REPORTED_SKEW_MS;
    if (isOff && !reported) {
      bus.log.warn(
        { skewMs },
        'the clock of this machine differs from that of NATS: deadlines and expiries are by that of NATS',
      );
    }
    reported = isOff;
  };
  return {
    now: () => Math.round(offset + performance.now()),
    async read() {
      const begun = performance.now();
      try {
        const serverMs = await readServerTime(bus, stream);
        const tookMs = performance.now() - begun;
        const error = serverMs + tookMs / 2 - (offset + performance.now());
        // Within the uncertainty of the reading the former one stays.
        if (Math.abs(error) > tookMs) offset += error;
        report(serverMs);
      } catch (error) {
        bus.log.debug(toLoggedError(error), 'reading the time of NATS failed');
      }
    },
  };
}

const answerSchema = z.object({ ts: z.iso.datetime({ offset: true }) });

async function readServerTime(bus: Bus, stream: string): Promise<number> {
  const answer = await bus.nc.request(`$JS.API.STREAM.INFO.${stream}`, undefined, { timeout: READ_TIMEOUT_MS });
  const read = answerSchema.safeParse(answer.json());
  if (read.success) return Date.parse(read.data.ts);
  throw new MillraceError('store-unavailable', `The info of stream ${stream} has no time.`);
}
