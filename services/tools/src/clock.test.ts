// Answers of the clock for one instant.
import { describe, expect, test } from 'vitest';
import { createClock, readTimeIn } from './clock.ts';

describe('the clock', () => {
  test('the clock returns local time with its offset, and a readable text', () => {
    expect(readTimeIn(new Date('2026-11-05T13:03:07.250Z'), 'Europe/Oslo')).toEqual({
      timeZone: 'Europe/Oslo',
      iso: '2026-11-05T14:03:07+01:00',
      utc: '2026-11-05T13:03:07.250Z',
      text: 'Thursday, 5 November 2026, 14:03:07 (Europe/Oslo, UTC+01:00)',
    });
  });

  test.each([
    ['UTC', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00+00:00'],
    ['Europe/Oslo', '2026-07-01T22:30:00Z', '2026-07-02T00:30:00+02:00'],
    ['America/St_Johns', '2026-07-01T00:00:00Z', '2026-06-30T21:30:00-02:30'],
    ['Asia/Kathmandu', '2026-12-31T18:15:00Z', '2027-01-01T00:00:00+05:45'],
    ['Pacific/Kiritimati', '2026-02-28T10:00:00Z', '2026-03-01T00:00:00+14:00'],
  ])('the clock returns the same instant in %s as %s in iso %s', (zone, moment, iso) => {
    const answer = readTimeIn(new Date(moment), zone);
    expect(answer.iso).toBe(iso);
    expect(new Date(answer.iso)).toEqual(new Date(moment));
  });

  test('the offset changes within the day on which summer time ends', () => {
    expect(readTimeIn(new Date('2026-10-25T00:59:59Z'), 'Europe/Oslo').iso).toBe('2026-10-25T02:59:59+02:00');
    expect(readTimeIn(new Date('2026-10-25T01:00:00Z'), 'Europe/Oslo').iso).toBe('2026-10-25T02:00:00+01:00');
  });

  test('the clock returns the canonical name of a zone that is written in lower case', () => {
    expect(readTimeIn(new Date(0), 'america/new_york').timeZone).toBe('America/New_York');
  });

  test.each(['Mars/Phobos', '', 'the North Pole'])('the clock rejects the zone "%s" and names it', (zone) => {
    expect(() => readTimeIn(new Date(0), zone)).toThrow(
      expect.objectContaining({ code: 'tool-arguments-invalid', path: 'timeZone' }),
    );
  });
});

test('the clock rejects arguments other than the zone', () => {
  const { inputSchema } = createClock(() => new Date(0));
  expect(inputSchema.safeParse({}).success).toBe(true);
  expect(inputSchema.safeParse({ zone: 'UTC' }).success).toBe(false);
});
