// The cost of a refusal: one body must not stop a process for all callers.
import { API } from '@millrace/contracts';
import { findDearReading, listHostileValues } from '@millrace/testkit';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { VERB_BOUNDS, decode } from './core/wire.ts';

const verbs: [string, { request: z.ZodType }][] = Object.entries(API);
const places = verbs.flatMap(([verb, { request }]) =>
  [{}, 0].flatMap((element) =>
    listHostileValues(request, element, 5_000).map(({ path, value }) => ({ verb, path, element, request, value })),
  ),
);

test('The generator reaches the lists and records of the verbs', () => {
  const reached = new Set(places.map(({ verb, path }) => `${verb}${path}`));
  expect([...reached]).toEqual(
    expect.arrayContaining([
      'submit.messages[]',
      'submit.messages[].content.parts[]',
      'submit.requestContext{}',
      'submit.inputProcessors[]',
      'submit.clientTools[]',
      'messages-save.messages[]',
    ]),
  );
  expect(reached.size).toBeGreaterThan(60);
});

test('A refusal of any verb costs no more than four times JSON.parse of its message', () => {
  const dear = places.flatMap(({ verb, path, element, request, value }) => {
    const found = findDearReading(Buffer.from(JSON.stringify(value)), (bytes) =>
      decode(bytes, request, 'a.subject', { bounds: VERB_BOUNDS, keepsTexts: 'request' }),
    );
    return found === undefined ? [] : [`${verb}${path} of ${JSON.stringify(element)}: ${found}`];
  });
  expect(dear).toEqual([]);
});
