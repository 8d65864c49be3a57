import { RUN_DEADLINE_MS, runRequestSchema, buildTextMessage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { buildRequest } from './run-request.ts';

/** Values that a caller without types may pass. */
const build = (options: object) => buildRequest({ tenant: 'acme' }, 'demo', 'hi', options);

describe('a request', () => {
  test('A text becomes one user message with an id that is unique for the run', () => {
    const request = buildRequest({ tenant: 'acme' }, 'demo', 'hi', { threadId: 't', requestContext: { plan: 'pro' } });
    expect(runRequestSchema.parse(JSON.parse(JSON.stringify(request)))).toMatchObject({
      tenant: 'acme',
      agent: 'demo',
      threadId: 't',
      requestContext: { plan: 'pro' },
      deadlineMs: RUN_DEADLINE_MS,
      messages: [{ role: 'user', content: { parts: [{ type: 'text', text: 'hi' }] } }],
    });
    expect(build({}).runId).not.toBe(build({}).runId);
  });

  test("Messages and the caller's run id are used unchanged", () => {
    const messages = [buildTextMessage('m1', 'user', 'a'), buildTextMessage('m2', 'user', 'b')];
    const request = buildRequest({ tenant: 'acme' }, 'demo', messages, { runId: 'mine' });
    expect(request).toMatchObject({ runId: 'mine', messages });
  });
});

test("The request contains the caller's override lists unchanged", () => {
  const overrides = {
    inputProcessors: ['pii', { use: 'keyword', as: 'mine', options: { keywords: ['a'] } }],
    outputProcessors: [],
    errorProcessors: ['fallback'],
    maxProcessorRetries: 2,
  };
  expect(runRequestSchema.parse(JSON.parse(JSON.stringify(build(overrides))))).toMatchObject(overrides);
});

test('The request contains no list if the caller passes none', () => {
  expect(Object.keys(JSON.parse(JSON.stringify(build({ inputProcessors: undefined }))))).not.toContain(
    'inputProcessors',
  );
});

describe('rejected options', () => {
  test.each([42, null, { role: 'user', content: 'hi' }])(
    'The input %j is rejected with the form of an input',
    (input) => {
      // @ts-expect-error -- a caller without types
      expect(() => buildRequest({ tenant: 'acme' }, 'demo', input, {})).toThrow(
        expect.objectContaining({ code: 'run-refused', path: 'input' }),
      );
    },
  );

  test('prepareStep is rejected with its replacement', () => {
    expect(() => build({ prepareStep: () => ({}) })).toThrow(
      expect.objectContaining({
        code: 'prepare-step-cannot-travel',
        path: 'prepareStep',
        remedy: expect.stringContaining('last entry'),
      }),
    );
  });

  test('An unknown option is rejected, also one that every object has as a member', () => {
    expect(() => build({ thread: 'typo' })).toThrow(expect.objectContaining({ code: 'run-refused', path: 'thread' }));
    expect(() => build({ constructor: 1 })).toThrow(expect.objectContaining({ code: 'run-refused' }));
  });

  test('A context that is not JSON is rejected with the path', () => {
    expect(() => build({ requestContext: { user: { load: () => 1 } } })).toThrow(
      expect.objectContaining({ code: 'not-json', path: 'run.requestContext.user.load' }),
    );
  });
});
