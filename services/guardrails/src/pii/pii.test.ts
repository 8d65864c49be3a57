import { messageText, textMessage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import {
  assistant,
  finishChunk,
  inParts,
  objectChunk,
  stepStartChunk,
  toolCallChunk,
  toolResultChunk,
  withTool,
} from '../testing/messages.ts';
import { commonArgs, inputArgs, resultArgs, stopOf, toolResultArgs } from '../testing/stage-args.ts';
import { deltaChunk, endChunk, send, streamText } from '../testing/stream-text.ts';
import { LEFT_OUT, pii } from './pii.ts';

const SECRET = 'ada@example.com';

describe('input', () => {
  test('is redacted in the messages of the user', () => {
    const args = inputArgs([`I am ${SECRET}`, assistant('a', SECRET)]);
    void pii.create({}).processInput?.(args);
    expect(args.messageList.get.input.db().map(messageText)).toEqual(['I am ***@***.***', SECRET]);
    expect(args.violations).toEqual([
      {
        message: 'Personal data: email.',
        strategy: 'redact',
        detail: { messageId: 'm0', count: 1, types: ['email'], hits: [{ type: 'email', start: 5, end: 20 }] },
      },
    ]);
  });

  test('stays as it is, with no operation, when nothing is found', () => {
    const args = inputArgs(['17 * 23 = 391']);
    void pii.create({}).processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
    expect(args.violations).toEqual([]);
  });

  test('is judged in every part', () => {
    const args = inputArgs([inParts('p', 'hello', SECRET)]);
    void pii.create({}).processInput?.(args);
    expect(messageText(args.messageList.get.input.db()[0] ?? textMessage('', 'user', ''))).toBe('hello***@***.***');
  });

  test('block aborts and says where and what, not the value', () => {
    const args = inputArgs([`I am ${SECRET}`]);
    const stop = stopOf(() => pii.create({ strategy: 'block' }).processInput?.(args));
    expect(stop).toMatchObject({ kind: 'abort', reason: 'Personal data: email.', options: { metadata: { count: 1 } } });
    expect(JSON.stringify([stop, args.violations])).not.toContain(SECRET);
  });

  test('block with a response halts with it', () => {
    const args = inputArgs([SECRET]);
    const stop = stopOf(() => pii.create({ strategy: 'block', response: 'No names, please.' }).processInput?.(args));
    expect(stop).toMatchObject({ kind: 'halt', response: 'No names, please.' });
  });

  test('filter leaves the message out', () => {
    const args = inputArgs(['hello', SECRET]);
    void pii.create({ strategy: 'filter' }).processInput?.(args);
    expect(args.messageList.get.input.db().map(messageText)).toEqual(['hello']);
  });

  test('warn changes nothing and reports a value once in a run', () => {
    const processor = pii.create({ strategy: 'warn' });
    const args = inputArgs([SECRET]);
    void processor.processInput?.(args);
    void processor.processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
    expect(args.violations).toHaveLength(1);
    expect(JSON.stringify(args.state)).not.toContain(SECRET);
  });
});

describe('methods', () => {
  const methods = (method: string, text: string) => {
    const args = inputArgs([text]);
    void pii.create({ method }).processInput?.(args);
    return args.messageList.get.input.db().map(messageText).join('');
  };
  test('placeholder numbers the distinct values of a run', () => {
    expect(methods('placeholder', 'a@b.io, c@d.io, A@B.IO, 123-45-6789')).toBe(
      '[EMAIL_1], [EMAIL_2], [EMAIL_1], [SSN_1]',
    );
  });
  test('hash is the same for every way to write a value', () => {
    const [first, second] = methods('hash', '4111-1111-1111-1111, 4111 1111 1111 1111').split(', ');
    expect(first).toMatch(/^\[CARD:[a-p]{16}\]$/);
    expect(second).toBe(first);
  });
  test('remove leaves nothing', () => expect(methods('remove', `to ${SECRET}!`)).toBe('to !'));
  test.each(['mask', 'hash', 'placeholder'])('%s marks are not marked again', (method) => {
    const once = methods(method, `${SECRET} 4111 1111 1111 1111 call 555-123-4567 born 3 March 1980`);
    expect(methods(method, once)).toBe(once);
  });
});

describe('options', () => {
  test('types limits what is looked for', () => {
    const args = inputArgs([`${SECRET} 123-45-6789`]);
    void pii.create({ types: ['ssn'] }).processInput?.(args);
    expect(args.messageList.get.input.db().map(messageText)).toEqual([`${SECRET} [REDACTED]`]);
  });
  test('allow lets values and domains pass', () => {
    const args = inputArgs(['Help@Example.com x@corp.test y@other.test']);
    void pii.create({ allow: ['help@example.com', '@corp.test'] }).processInput?.(args);
    expect(args.messageList.get.input.db().map(messageText)).toEqual(['Help@Example.com x@corp.test ***@***.***']);
  });
  test('regions decide which national numbers are known', () => {
    const args = inputArgs(['030 123456']);
    void pii.create({ regions: ['US'] }).processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
  });
  test.each([{ model: 'openai/x' }, { threshold: 0.5 }, { regions: ['XX'] }, { types: [] }, { strategy: 'rewrite' }])(
    '%j is refused',
    (options) => expect(pii.options.safeParse(options).success).toBe(false),
  );
});

describe('the stream', () => {
  const text = 'Write to ada@example.com or 4111 1111 1111 1111.';
  test('block stops before the value is through', () => {
    const args = commonArgs();
    const seen: string[] = [];
    const processor = pii.create({ strategy: 'block' });
    const stop = stopOf(() => {
      for (const character of text) {
        for (const chunk of send(processor, deltaChunk('text', character), args)) seen.push(JSON.stringify(chunk));
      }
    });
    expect(stop).toMatchObject({ kind: 'abort' });
    expect(seen.join('')).not.toContain('"a"');
    expect(seen).toHaveLength('Write to '.split(' ').length - 1);
  });
  test('filter leaves out what was found', () => {
    expect(streamText(pii.create({ strategy: 'filter' }), text, [3], 'text').passed.join('')).toBe('Write to  or .');
  });
  test.each([
    ['tool-call', toolCallChunk({ to: SECRET, n: [1, SECRET] })],
    ['tool-result', toolResultChunk({ from: SECRET })],
    ['object', objectChunk({ mail: SECRET })],
    ['finish', finishChunk(SECRET)],
  ])('%s is judged whole', (_, chunk) => {
    const [passed] = send(pii.create({}), chunk, commonArgs());
    expect(JSON.stringify(passed)).toContain('***@***.***');
    expect(JSON.stringify(passed)).not.toContain(SECRET);
  });
  test('a step that starts over finds nothing of the one before', () => {
    const processor = pii.create({});
    const args = commonArgs();
    send(processor, deltaChunk('text', 'rejected'), args);
    send(processor, stepStartChunk, args);
    send(processor, deltaChunk('text', 'new'), args);
    expect(JSON.stringify(send(processor, endChunk('text'), args))).not.toContain('rejected');
  });
});

describe('tool results', () => {
  test('are redacted with what their names say', () => {
    const result = {
      ssn: '123456789',
      phoneNumber: 4155552671,
      count: 4155552671,
      list: [{ dateOfBirth: '1980-01-02' }],
      card: 4111111111111111,
    };
    expect(pii.create({}).processToolResult?.(toolResultArgs(result))).toEqual({
      result: {
        ssn: '[REDACTED]',
        phoneNumber: '[REDACTED]',
        count: 4155552671,
        list: [{ dateOfBirth: '[REDACTED]' }],
        card: '[REDACTED]',
      },
    });
  });
  test('pass as they are', () => {
    expect(pii.create({}).processToolResult?.(toolResultArgs({ value: 391 }))).toBeUndefined();
  });
  test('filter leaves the result out', () => {
    expect(pii.create({ strategy: 'filter' }).processToolResult?.(toolResultArgs(SECRET))).toEqual({
      result: LEFT_OUT,
    });
  });
  test('block aborts', () => {
    expect(stopOf(() => pii.create({ strategy: 'block' }).processToolResult?.(toolResultArgs([SECRET])))).toMatchObject(
      { kind: 'abort' },
    );
  });
});

test('the final answer is redacted, tool calls too', () => {
  const args = resultArgs([assistant('a1', SECRET), withTool('a2', { to: SECRET }, { ssn: '123456789' })]);
  void pii.create({}).processOutputResult?.(args);
  const [answer, tool] = args.messageList.get.response.db();
  expect(answer && messageText(answer)).toBe('***@***.***');
  expect(JSON.stringify(tool)).toContain('{"to":"***@***.***"}');
  expect(JSON.stringify(tool)).toContain('{"ssn":"[REDACTED]"}');
});
