// The cost of a refused body, for each list and record of each route: one body must not stop the gateway for all callers.
import { findDearReading, listHostileValues } from '@millrace/testkit';
import { expect, test } from 'vitest';
import type { z } from 'zod';
import { guardrailRequestSchema } from '../checks/litellm-request.ts';
import { moderationRequestSchema } from '../checks/moderations-route.ts';
import { chatRequestSchema } from '../openai/chat/chat-request.ts';
import { conversationSchema } from '../openai/responses/conversations-route.ts';
import { responseRequestSchema } from '../openai/responses/responses-request.ts';
import { OWN_ROUTES } from '../own/own-api.ts';
import { uiRequestSchema } from '../ui/ui-request.ts';
import { checkValue, parseBody } from './read-body.ts';

const schemas: [string, z.ZodType][] = [
  ...OWN_ROUTES.flatMap(({ id, body }): [string, z.ZodType][] => (body ? [[id, body]] : [])),
  ['chat completions', chatRequestSchema],
  ['responses', responseRequestSchema],
  ['conversations', conversationSchema],
  ['useChat', uiRequestSchema],
  ['moderations', moderationRequestSchema],
  ['LiteLLM', guardrailRequestSchema],
];
const places = schemas.flatMap(([route, schema]) =>
  [{}, 0].flatMap((element) =>
    listHostileValues(schema, element, 5_000).map(({ path, value }) => ({ route, path, element, schema, value })),
  ),
);

test('The generator reaches the lists of every protocol', () => {
  expect([...new Set(places.map(({ route, path }) => `${route} ${path}`))]).toEqual(
    expect.arrayContaining([
      'startRun .input[]',
      'startRun .input[].content.parts[]',
      'chat completions .messages[]',
      'chat completions .messages[].content[]',
      'chat completions .messages[].tool_calls[]',
      'responses .input[].content[]',
      'useChat .messages[].parts[]',
      'moderations .input[]',
      'LiteLLM .texts[]',
    ]),
  );
});

test('A refusal of any body costs no more than four times JSON.parse of its bytes', () => {
  const dear = places.flatMap(({ route, path, element, schema, value }) => {
    const found = findDearReading(Buffer.from(JSON.stringify(value)), (bytes) => {
      try {
        return checkValue(parseBody(bytes), schema, 'The body');
      } catch (error) {
        return error;
      }
    });
    return found === undefined ? [] : [`${route} ${path} of ${JSON.stringify(element)}: ${found}`];
  });
  expect(dear).toEqual([]);
});
