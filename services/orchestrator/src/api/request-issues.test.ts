import { CALLER_ROLES, buildTextMessage, type Message, type MessagePart, type RunRequest } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { makeAgent } from '../testing/run-states.ts';
import { refuseBadRequest, findRequestIssues } from './request-issues.ts';

const applied = { agent: makeAgent(), plan: { entries: {}, order: {}, tools: [] }, revision: 1, appliedAt: '' };
const makeRequest = (...messages: Message[]): RunRequest => ({
  runId: 'run-1',
  tenant: 'acme',
  agent: 'demo',
  messages,
  requestContext: {},
  deadlineMs: 1_000,
});
const fileMessage = (data: string): Message => {
  const parts: MessagePart[] = [{ type: 'file', data, mimeType: 'image/png' }];
  return { ...buildTextMessage('m1', 'user', ''), content: { format: 2, parts } };
};
const listPaths = (...messages: Message[]) =>
  findRequestIssues(makeRequest(...messages), CALLER_ROLES).map(({ path }) => path);

describe('roles of submitted messages', () => {
  test('user, assistant and tool messages are accepted: clients without a thread send their history along', () => {
    const messages = CALLER_ROLES.map((role, at) => buildTextMessage(`m${at}`, role, 'hello'));
    expect(listPaths(...messages)).toEqual([]);
  });

  test('a system message is refused by its role, with a remedy', () => {
    const request = makeRequest(buildTextMessage('m1', 'user', 'hi'), buildTextMessage('m2', 'system', 'obey'));
    expect(() => refuseBadRequest(request, applied)).toThrow(
      expect.objectContaining({
        code: 'run-refused',
        path: 'messages[1].role',
        remedy: expect.stringContaining('callerRoles: [user, assistant, tool, system]'),
      }),
    );
  });

  test('a system message is accepted if the agent allows it', () => {
    expect(
      findRequestIssues(makeRequest(buildTextMessage('m1', 'system', 'obey')), [...CALLER_ROLES, 'system']),
    ).toEqual([]);
  });
});

describe('ids of submitted messages', () => {
  test('two messages with one id are refused: the second one names the first', () => {
    const issues = findRequestIssues(
      makeRequest(buildTextMessage('a', 'user', 'x'), buildTextMessage('a', 'user', 'y')),
      CALLER_ROLES,
    );
    expect(issues).toMatchObject([{ path: 'messages[1].id', message: expect.stringContaining('messages[0]') }]);
  });

  test("an id that begins with the run's own id is refused; that of another run's answer is not", () => {
    expect(listPaths(buildTextMessage('run-1.0', 'assistant', 'x'))).toEqual(['messages[0].id']);
    expect(listPaths(buildTextMessage('run-0.0', 'assistant', 'x'))).toEqual([]);
  });
});

describe('files in submitted messages', () => {
  test.each(['https://example.com/a.png', 'http://example.com', 'aGVsbG8=', 'aGVsbG8', 'a-_b'])(
    'the data %s is accepted',
    (data) => {
      expect(listPaths(fileMessage(data))).toEqual([]);
    },
  );

  test.each([
    'http://',
    'https://[',
    'file:///etc/passwd',
    'ftp://a/b',
    'data:image/png;base64,aGVsbG8=',
    'not base64!',
    // A file that the operator has stored at the provider.
    'file-AbC123',
    '',
  ])('the data "%s" is refused with its path', (data) => {
    expect(listPaths(fileMessage(data))).toEqual(['messages[0].content.parts[0].data']);
  });
});

test('all problems of a request are reported at once', () => {
  const request = makeRequest(buildTextMessage('run-1', 'system', 'x'), buildTextMessage('run-1', 'user', 'y'));
  expect(() => refuseBadRequest(request, applied)).toThrow(
    expect.objectContaining({
      message: expect.stringContaining('4 problems'),
      issues: expect.objectContaining({ length: 4 }),
    }),
  );
});

describe('a request that is nested deeper than the records of the run can hold', () => {
  const deep = (levels: number) => JSON.parse('{"a":'.repeat(levels) + '1' + '}'.repeat(levels));
  const allowed = { ...applied, agent: makeAgent({ overrides: ['pii'] }) };
  const message = buildTextMessage('m1', 'user', 'hi');
  const given = {
    requestContext: (levels: number) => ({ requestContext: deep(levels) }),
    messages: (levels: number) => ({
      messages: [{ ...message, content: { ...message.content, metadata: deep(levels) } }],
    }),
    inputProcessors: (levels: number) => ({ inputProcessors: [{ use: 'pii', options: deep(levels) }] }),
  };

  test.each(['requestContext', 'messages', 'inputProcessors'] as const)('is refused by the name of its %s', (path) => {
    const request = { ...makeRequest(message), ...given[path](100) };
    expect(() => refuseBadRequest(request, allowed)).toThrow(expect.objectContaining({ code: 'run-refused', path }));
  });

  test.each(['requestContext', 'messages'] as const)('is accepted if its %s are nested less', (path) => {
    expect(() => refuseBadRequest({ ...makeRequest(message), ...given[path](90) }, allowed)).not.toThrow();
  });
});

describe('members that guards do not read', () => {
  const call: MessagePart = {
    type: 'tool-invocation',
    toolInvocation: { state: 'call', toolCallId: 'words with blanks', toolName: 'clock', args: {} },
  };
  const withPart = (part: MessagePart): Message => ({
    ...buildTextMessage('m1', 'assistant', ''),
    content: { format: 2, parts: [part] },
  });

  test.each<[string, Message]>([
    ['messages[0].id', buildTextMessage('words with blanks', 'user', 'hi')],
    ['messages[0].createdAt', { ...buildTextMessage('m1', 'user', 'hi'), createdAt: 'x'.repeat(1_000) }],
    ['messages[0].content.parts[0].mimeType', withPart({ type: 'file', data: 'eHg=', mimeType: 'my words' })],
    ['messages[0].content.parts[0].toolInvocation.toolCallId', withPart(call)],
  ])('%s of another form is refused', (path, message) => {
    expect(listPaths(message)).toEqual([path]);
  });

  test.each(['2026-11-22', '2026-11-22T10:00Z', '2026-11-22 10:00:00.123456+02:00', new Date().toISOString()])(
    'the date %s is accepted',
    (createdAt) => {
      expect(listPaths({ ...buildTextMessage('m1', 'user', 'hi'), createdAt })).toEqual([]);
    },
  );

  test.each(['text/plain', 'image/svg+xml', 'text/plain; charset=utf-8', 'application/vnd.ms-excel'])(
    'the media type %s is accepted',
    (mimeType) => expect(listPaths(withPart({ type: 'file', data: 'eHg=', mimeType }))).toEqual([]),
  );
});
