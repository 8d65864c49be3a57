import { expect, test } from 'vitest';
import { toPublicEvent, publicRunEventSchema, type RunEvent } from './event.ts';

const at = { at: '2026-01-01T00:00:00.000Z', epoch: 1, step: 0 };
const stage: RunEvent = {
  event: 'stage',
  ...at,
  stage: 'processInput',
  ms: 2,
  entries: [
    {
      entry: 'pii',
      processor: 'pii',
      verdict: 'abort',
      ms: 1,
      attempts: 1,
      reason: 'secret reason',
      metadata: { span: 'secret span' },
      error: { code: 'processor-failed', message: 'secret words', path: 'secret path' },
      violations: [
        { processorId: 'pii', message: 'secret', rule: 'email', detail: { at: 3 } },
        { processorId: 'pii', message: 'secret', rule: 'email', count: 4 },
        { processorId: 'pii', message: 'secret' },
      ],
    },
  ],
};

test('A public event names each entry with its verdict, and each rule with its count', () => {
  expect(toPublicEvent(stage)).toMatchObject({
    entries: [
      {
        entry: 'pii',
        verdict: 'abort',
        error: { code: 'processor-failed', message: 'A processor threw, or returned an invalid answer.' },
        violations: [
          { processorId: 'pii', rule: 'email', count: 5 },
          { processorId: 'pii', count: 1 },
        ],
      },
    ],
  });
});

test('A public event names rules and omits values that are not names: a sentence, a number', () => {
  const told = toPublicEvent({
    ...stage,
    entries: ['email', '4111 1111', 'it said so', '4111'].map((rule) => ({
      entry: 'odd',
      processor: 'odd',
      verdict: 'continue',
      ms: 1,
      attempts: 1,
      violations: [{ processorId: 'odd', message: 'found', rule }],
    })),
  });
  const rules = 'entries' in told ? told.entries.map(({ violations }) => violations?.[0]?.rule) : [];
  expect(rules).toEqual(['email', undefined, undefined, undefined]);
});

test('A public event has no reason, metadata, span or error message', () => {
  const model: RunEvent = {
    event: 'model',
    ...at,
    model: 'm',
    call: 1,
    ms: 1,
    finishReason: 'error',
    fromCache: false,
    error: { code: 'model-call-failed', message: 'secret words of a provider' },
  };
  const run: RunEvent = { event: 'run', ...at, status: 'failed', detail: { secret: true } };
  const told = [stage, model, run].map(toPublicEvent);
  expect(JSON.stringify(told)).not.toContain('secret');
  for (const event of told) expect(publicRunEventSchema.parse(event)).toEqual(event);
});
