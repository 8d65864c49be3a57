// Parses durations (30s, 500ms, 2m, 1h; a bare number is in seconds) and the expiry of an API key (90d, 12h, or a time in
// ISO 8601).
import { UsageError } from './usage-error.ts';

const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };
const PATTERN = /^(?<number>\d+(?:\.\d+)?)(?<unit>ms|s|m|h)?$/;

/** Maximum duration of a run. */
const MAX_HOURS = 24;

/** Returns milliseconds, at least 1, at most one day. @throws UsageError with the option's name */
export function parseDuration(text: string, option: string): number {
  const { number, unit } = PATTERN.exec(text)?.groups ?? {};
  const ms = Math.round(Number(number) * UNIT_MS[isUnit(unit) ? unit : 's']);
  if (ms > MAX_HOURS * UNIT_MS.h) throw new UsageError(`${option} takes at most ${MAX_HOURS}h, not "${text}"`);
  if (ms >= 1) return ms;
  throw new UsageError(`${option} takes a duration such as 30s, 500ms, 2m or 1h, not "${text}"`);
}

const isUnit = (unit: string | undefined): unit is keyof typeof UNIT_MS => unit !== undefined && unit in UNIT_MS;

/** Parses a whole number of at least 1. @throws UsageError with the option's name */
export function parseCount(text: string, option: string): number {
  const count = /^\d+$/.test(text) ? Number(text) : 0;
  if (count >= 1) return count;
  throw new UsageError(`${option} takes a whole number above 0, not "${text}"`);
}

const EXPIRY_UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };
const DURATION = /^(?<number>\d{1,6})(?<unit>[mhd])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/**
 * Parses the expiry of an API key: a duration from now on, or a time in ISO 8601.
 * @param now ms since 1970 @returns a time in ISO 8601, UTC @throws UsageError
 */
export function parseExpiry(text: string, now: number): string {
  const { number, unit = '' } = DURATION.exec(text)?.groups ?? {};
  const ms =
    number === undefined ? Date.parse(DATE.test(text) ? text : '') : now + Number(number) * (EXPIRY_UNIT_MS[unit] ?? 0);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new UsageError(
    `--expires takes a duration such as 30m, 12h or 90d, or a date such as 2030-01-31, not "${text}"`,
  );
}
