// Parses the expiry of an API key: a duration from now on, such as 90d or 12h, or a time in ISO 8601.
import { UsageError } from './usage-error.ts';

const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 };
const DURATION = /^(?<number>\d{1,6})(?<unit>[mhd])$/;
const DATE = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:\d{2}))?$/;

/** @param now ms since 1970 @returns a time in ISO 8601, UTC @throws UsageError */
export function parseExpiry(text: string, now: number): string {
  const { number, unit = '' } = DURATION.exec(text)?.groups ?? {};
  const ms =
    number === undefined ? Date.parse(DATE.test(text) ? text : '') : now + Number(number) * (UNIT_MS[unit] ?? 0);
  if (!Number.isNaN(ms)) return new Date(ms).toISOString();
  throw new UsageError(
    `--expires takes a duration such as 30m, 12h or 90d, or a date such as 2030-01-31, not "${text}"`,
  );
}
