import { buildTextMessage, type RunRequest } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { hashRequest } from './submit-run.ts';

const request: RunRequest = {
  runId: 'run-1',
  tenant: 'acme',
  agent: 'demo',
  messages: [buildTextMessage('m1', 'user', 'hello')],
  threadId: 't',
  requestContext: { a: 1, b: { c: [1, 2] } },
  deadlineMs: 1_000,
};
const hash = hashRequest(request);
const makeSaid = (role: 'user' | 'tool', text: string) => ({ messages: [buildTextMessage('m1', role, text)] });

describe('two submissions are the same request', () => {
  test.each<[string, Partial<RunRequest>]>([
    ['with other ids and times of messages', { messages: [buildTextMessage('m2', 'user', 'hello')] }],
    ['with another deadline', { deadlineMs: 5 }],
    ['with another trace', { trace: { traceparent: '00-1-2-01' } }],
    ['with members in another order', { requestContext: { b: { c: [1, 2] }, a: 1 } }],
  ])('%s', (_what, more) => {
    expect(hashRequest({ ...request, ...more })).toBe(hash);
  });
});

describe('two submissions are different requests', () => {
  test.each<[string, Partial<RunRequest>]>([
    ['with another agent', { agent: 'other' }],
    ['with another text', makeSaid('user', 'hello!')],
    ['with another role', makeSaid('tool', 'hello')],
    ['with another thread', { threadId: 'u' }],
    ['with a resource', { resourceId: 'r' }],
    ['with no input processors in place of the agent’s', { inputProcessors: [] }],
    ['with output processors', { outputProcessors: ['pii'] }],
    ['with options of them', { outputProcessors: [{ use: 'pii', options: { a: 1 } }] }],
    ['with error processors', { errorProcessors: ['pii'] }],
    ['with a number of retries', { maxProcessorRetries: 0 }],
    ['with a schema of the answer', { structuredOutput: { schema: { type: 'object' } } }],
    ['with a setting of the model', { modelSettings: { temperature: 0 } }],
    ['with the choice of a tool', { toolChoice: 'none' }],
    ['with a release', { release: 'result' }],
    ['with another context', { requestContext: { a: 1, b: { c: [2, 1] } } }],
  ])('%s', (_what, more) => {
    expect(hashRequest({ ...request, ...more })).not.toBe(hash);
  });
});
