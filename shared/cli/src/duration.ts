// Durations as people write them: 30s, 500ms, 2m, 1h. A bare number is seconds.
import { UsageError } from './usage-error.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const PATTERN = /^(?<number>\d+(?:\.\d+)?)(?<unit>ms|s|m|h)?$/;

/** A run may take no longer, and nobody waits longer. */
const MAX_HOURS = 24;

/** In ms, at least 1, at most a day. @throws UsageError, naming the option */
export function parseDuration(text: string, option: string): number {
  const { number, unit } = PATTERN.exec(text)?.groups ?? {};
  const ms = Math.round(Number(number) * UNIT_MS[isUnit(unit) ? unit : 's']);
  if (ms > MAX_HOURS * UNIT_MS.h) throw new UsageError(`${option} takes at most ${MAX_HOURS}h, not "${text}"`);
  if (ms >= 1) return ms;
  throw new UsageError(`${option} takes a duration such as 30s, 500ms, 2m or 1h, not "${text}"`);
}

const isUnit = (unit: string | undefined): unit is keyof typeof UNIT_MS => unit !== undefined && unit in UNIT_MS;

/** In whole numbers of what is asked for. @throws UsageError, naming the option */
export function parseCount(text: string, option: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count >= 1) return count;
  throw new UsageError(`${option} takes a whole number above 0, not "${text}"`);
}
