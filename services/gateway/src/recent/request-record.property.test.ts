// Laws of the record of repeated requests, for every order of the events of concurrent identical requests.
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  KEEP_MS,
  readRecord,
  reduceRecord,
  writeRecord,
  type RecordEvent,
  type RequestEnd,
  type RequestRecord,
} from './request-record.ts';

const end: fc.Arbitrary<RequestEnd> = fc.oneof(
  fc.constantFrom<RequestEnd>('sent', 'cut', 'cancelled'),
  fc.constantFrom(400, 404, 408, 409, 429, 500, 503).map((status) => ({ status })),
);
const request = fc.constantFrom('r1', 'r2', 'r3');
const now = fc.integer({ min: 0, max: 1_000_000 });
const served: fc.Arbitrary<Extract<RequestRecord, { state: 'served' }>> = fc.record(
  { state: fc.constant('served'), value: fc.string(), request, by: fc.constantFrom('g1', 'g2'), until: now },
  { requiredKeys: ['state', 'value', 'request', 'by'] },
);
const event: fc.Arbitrary<RecordEvent> = fc.oneof(
  fc.record({ event: fc.constant('opened'), record: served }),
  fc.record({ event: fc.constant('renewed'), request }),
  fc.record({ event: fc.constant('ended'), request, end, now }),
);
const events = fc.array(event, { maxLength: 20 });
const reduce = (all: readonly RecordEvent[], from?: RequestRecord) => all.reduce(reduceRecord, from);

describe('the record of a request', () => {
  test('The record depends on the events of the request that was opened last, and on no others', () => {
    fc.assert(
      fc.property(events, served, events, (before, record, after) => {
        const own = after.filter((one) => one.event !== 'opened');
        const alone = own.filter((one) => one.request === record.request);
        const opened = { event: 'opened' as const, record };
        expect(reduce([...before, opened, ...own])).toEqual(reduce([opened, ...alone]));
      }),
    );
  });

  test('A renewal or a second end after the end of a request changes nothing', () => {
    fc.assert(
      fc.property(served, end, now, events, (record, first, at, later) => {
        const own = later.filter((one) => one.event !== 'opened');
        const ended = reduceRecord(record, { event: 'ended', request: record.request, end: first, now: at });
        expect(reduce(own, ended)).toBe(ended);
      }),
    );
  });

  test('A repetition joins the run after a lost connection and after a failure that clients repeat, and after no other end', () => {
    fc.assert(
      fc.property(served, end, now, (record, how, at) => {
        const ended = reduceRecord(record, { event: 'ended', request: record.request, end: how, now: at });
        const isRepeated = typeof how === 'object' && [408, 409, 429, 500, 503].includes(how.status);
        expect(ended?.state).toBe(how === 'cut' ? 'broken' : isRepeated ? 'failed' : undefined);
        expect(ended?.value ?? record.value).toBe(record.value);
      }),
    );
  });

  test('The record of a failed run ends a minute after the first failure, however often its request is repeated', () => {
    fc.assert(
      fc.property(served, fc.array(now, { minLength: 1, maxLength: 10 }), ({ until: _, ...first }, failures) => {
        let record: RequestRecord | undefined;
        for (const [at, time] of failures.entries()) {
          const until = record?.state === 'failed' ? record.until : undefined;
          const opened = { event: 'opened' as const, record: { ...first, request: `r${at}`, until } };
          const failed = { event: 'ended' as const, request: `r${at}`, end: { status: 500 }, now: time };
          record = reduce([opened, { event: 'renewed', request: `r${at}` }, failed], record);
        }
        expect(record).toMatchObject({ state: 'failed', until: (failures[0] ?? 0) + KEEP_MS });
      }),
    );
  });

  test('The stored form of a record returns the record', () => {
    fc.assert(
      fc.property(served, events, (first, later) => {
        const record = reduce(later, first) ?? first;
        expect(readRecord(writeRecord(record))).toEqual(record);
      }),
    );
  });
});
