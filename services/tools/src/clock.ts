// The tool `clock`: a model does not know what time it is.
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
    .describe('an IANA time zone such as "Europe/Oslo" or "America/New_York"; UTC where absent'),
});

/** @param now is asked at every call */
export function createClock(now: () => Date): Tool {
  return defineTool({
    name: 'clock',
    description:
      'Tells the current date, weekday and time in a time zone. Use it whenever an answer depends on what time or day it is.',
    inputSchema,
    idempotent: true,
    timeoutMs: 5_000,
    execute: ({ timeZone = DEFAULT_ZONE }) => timeIn(now(), timeZone),
  });
}

/** `iso`: local time with its offset; `utc`: the same moment; `text`: for people, in English. @throws tool-arguments-invalid */
export type ZonedTime = { timeZone: string; iso: string; utc: string; text: string };

export function timeIn(moment: Date, timeZone: string): ZonedTime {
  const format = formatFor(timeZone);
  const parts = new Map(format.formatToParts(moment).map(({ type, value }) => [type, value]));
  const part = (type: Intl.DateTimeFormatPartTypes) => parts.get(type) ?? '';
  const clock = `${part('hour')}:${part('minute')}:${part('second')}`;
  // "GMT+01:00", and "GMT" alone where there is no difference.
  const offset = part('timeZoneName').replace('GMT', '') || '+00:00';
  const monthNumber = new Intl.DateTimeFormat('en-GB', { timeZone, month: '2-digit' }).format(moment);
  const zone = format.resolvedOptions().timeZone;
  return {
    timeZone: zone,
    iso: `${part('year').padStart(4, '0')}-${monthNumber}-${part('day').padStart(2, '0')}T${clock}${offset}`,
    utc: moment.toISOString(),
    text: `${part('weekday')}, ${part('day')} ${part('month')} ${part('year')}, ${clock} (${zone}, UTC${offset})`,
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
      remedy: 'Use a name such as "Europe/Oslo", or leave it out for UTC.',
      cause,
    });
  }
}
