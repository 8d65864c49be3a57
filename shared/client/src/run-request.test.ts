import { RUN_DEADLINE_MS, runRequestSchema, textMessage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { buildRequest } from './run-request.ts';

/** What a caller without types may pass. */
const build = (options: object) => buildRequest('acme', 'demo', 'hi', options);

describe('a request', () => {
  test('of a text is one user message, with an id of its own for the run', () => {
    const request = buildRequest('acme', 'demo', 'hi', { threadId: 't', requestContext: { plan: 'pro' } });
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

  test('takes messages as they are, and the id that the caller made', () => {
    const messages = [textMessage('m1', 'user', 'a'), textMessage('m2', 'user', 'b')];
    const request = buildRequest('acme', 'demo', messages, { runId: 'mine' });
    expect(request).toMatchObject({ runId: 'mine', messages });
  });
});

test('a request has the lists that the caller gives in place of the agent’s, as they are', () => {
  const overrides = {
    inputProcessors: ['pii', { use: 'keyword', as: 'mine', options: { keywords: ['a'] } }],
    outputProcessors: [],
    errorProcessors: ['fallback'],
    maxProcessorRetries: 2,
  };
  expect(runRequestSchema.parse(JSON.parse(JSON.stringify(build(overrides))))).toMatchObject(overrides);
});

test('a request has no list where the caller gives none', () => {
  expect(Object.keys(JSON.parse(JSON.stringify(build({ inputProcessors: undefined }))))).not.toContain(
    'inputProcessors',
  );
});

describe('what is refused by its name', () => {
  test('prepareStep, with the place that it has instead', () => {
    expect(() => build({ prepareStep: () => ({}) })).toThrow(
      expect.objectContaining({
        code: 'prepare-step-cannot-travel',
        path: 'prepareStep',
        remedy: expect.stringContaining('last entry'),
      }),
    );
  });

  test('an option that nobody knows, also one that objects have by nature', () => {
    expect(() => build({ thread: 'typo' })).toThrow(expect.objectContaining({ code: 'run-refused', path: 'thread' }));
    expect(() => build({ constructor: 1 })).toThrow(expect.objectContaining({ code: 'run-refused' }));
  });

  test('a context that is not JSON, with the place', () => {
    expect(() => build({ requestContext: { user: { load: () => 1 } } })).toThrow(
      expect.objectContaining({ code: 'not-json', path: 'run.requestContext.user.load' }),
    );
  });
});
