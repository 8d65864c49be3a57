// What the clock says of a moment.
import { describe, expect, test } from 'vitest';
import { createClock, timeIn } from './clock.ts';

describe('a moment', () => {
  test('is told in local time, with the offset, and for people', () => {
    expect(timeIn(new Date('2026-11-05T13:03:07.250Z'), 'Europe/Oslo')).toEqual({
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
  ])('in %s is %s in iso %s, the same moment', (zone, moment, iso) => {
    const told = timeIn(new Date(moment), zone);
    expect(told.iso).toBe(iso);
    expect(new Date(told.iso)).toEqual(new Date(moment));
  });

  test('changes its offset within the day that summer time ends', () => {
    expect(timeIn(new Date('2026-10-25T00:59:59Z'), 'Europe/Oslo').iso).toBe('2026-10-25T02:59:59+02:00');
    expect(timeIn(new Date('2026-10-25T01:00:00Z'), 'Europe/Oslo').iso).toBe('2026-10-25T02:00:00+01:00');
  });

  test('is told in a zone that is written in small letters, under its own name', () => {
    expect(timeIn(new Date(0), 'america/new_york').timeZone).toBe('America/New_York');
  });

  test.each(['Mars/Phobos', '', 'the North Pole'])('in the zone "%s" is refused by name', (zone) => {
    expect(() => timeIn(new Date(0), zone)).toThrow(
      expect.objectContaining({ code: 'tool-arguments-invalid', path: 'timeZone' }),
    );
  });
});

test('no argument but the zone is taken', () => {
  const { inputSchema } = createClock(() => new Date(0));
  expect(inputSchema.safeParse({}).success).toBe(true);
  expect(inputSchema.safeParse({ zone: 'UTC' }).success).toBe(false);
});
