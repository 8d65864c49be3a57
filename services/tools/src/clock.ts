// The tool `clock`: a model does not know the time.
import { defineTool, type Tool } from '@millrace/processor';
import { MillraceError } from '@millrace/contracts';
import { z } from 'zod';

const DEFAULT_ZONE = 'UTC';
const MAX_ZONE_CHARACTERS = 64;

const inputSchema = z.strictObject({
  timeZone: z
    .string()
    .max(MAX_ZONE_CHARACTERS)
    .optional()
    .describe('IANA time zone such as "Europe/Oslo" or "America/New_York". Default: UTC.'),
});

/** @param now called once per call */
export function createClock(now: () => Date): Tool {
  return defineTool({
    name: 'clock',
    description:
      'Returns the current date, weekday and time in a time zone. Use it whenever an answer depends on the current time or day.',
    inputSchema,
    idempotent: true,
    effect: 'read',
    timeoutMs: 5_000,
    execute: ({ timeZone = DEFAULT_ZONE }) => readTimeIn(now(), timeZone),
  });
}

/**
 * `iso`: local time with its offset; `utc`: the same instant; `text`: readable, in English. @throws
 * tool-arguments-invalid
 */
export type ZonedTime = { timeZone: string; iso: string; utc: string; text: string };

export function readTimeIn(moment: Date, timeZone: string): ZonedTime {
  const format = formatFor(timeZone);
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  const readPart = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const clock = `${readPart('hour')}:${readPart('minute')}:${readPart('second')}`;
  // "GMT+01:00", or "GMT" for offset zero.
  const offset = readPart('timeZoneName').replace('GMT', '') || '+00:00';
  const monthNumber = new Intl.DateTimeFormat('en-GB', { timeZone, month: '2-digit' }).format(moment);
  const zone = format.resolvedOptions().timeZone;
  return {
    timeZone: zone,
    iso: `${readPart('year').padStart(4, '0')}-${monthNumber}-${readPart('day').padStart(2, '0')}T${clock}${offset}`,
    utc: moment.toISOString(),
    text: `${readPart('weekday')}, ${readPart('day')} ${readPart('month')} ${readPart('year')}, ${clock} (${zone}, UTC${offset})`,
  };
}

function formatFor(timeZone: string): Intl.DateTimeFormat {
  try {
    return new Intl.DateTimeFormat('en-GB', {
      timeZone,
      weekday: 'long',
      year: 'numeric',
      month: 'long',
      day: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'longOffset',
    });
  } catch (cause) {
    throw new MillraceError('tool-arguments-invalid', `timeZone: "${timeZone}" is not an IANA time zone.`, {
      path: 'timeZone',
      remedy: 'Use a name such as "Europe/Oslo", or omit it for UTC.',
      cause,
    });
  }
}
