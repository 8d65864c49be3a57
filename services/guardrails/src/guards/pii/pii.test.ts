import { commonArgs, inputArgs, catchStop, toolResultArgs } from '@millrace/testkit';
import { readMessageText, buildTextMessage, type JsonValue } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import {
  assistant,
  finishChunk,
  messageInParts,
  objectChunk,
  stepStartChunk,
  toolCallChunk,
  toolResultChunk,
  messageWithTool,
} from '../../testing/messages.ts';
import { deltaChunk, endChunk, send, streamText } from '../../testing/stream-text.ts';
import { LEFT_OUT, pii } from './pii.ts';

const SECRET = 'ada@example.com';

describe('personal data in the input', () => {
  test("pii redacts the caller's messages of every role", async () => {
    const sent = [
      `I am ${SECRET}`,
      assistant('a', SECRET),
      buildTextMessage('s', 'system', SECRET),
      messageWithTool('t', { to: SECRET }, [SECRET]),
    ];
    const args = inputArgs(sent);
    await pii.create({}).processInput?.(args);
    const [user, answer, system, tool] = args.messageList.get.input.db();
    expect([user, answer, system].map((message) => message && readMessageText(message))).toEqual([
      'I am ***@***.***',
      '***@***.***',
      '***@***.***',
    ]);
    expect(JSON.stringify(tool)).toContain('"args":{"to":"***@***.***"},"result":["***@***.***"]');
  });

  test('pii reports rule and count, and the places as detail', async () => {
    const args = inputArgs([`I am ${SECRET}`]);
    await pii.create({}).processInput?.(args);
    expect(args.violations).toEqual([
      {
        message: 'Personal data: email.',
        rule: 'email',
        strategy: 'redact',
        count: 1,
        detail: { hits: [{ messageId: 'm0', start: 5, end: 20 }] },
      },
    ]);
  });

  test('pii emits no operation without a finding', async () => {
    const args = inputArgs(['17 * 23 = 391']);
    await pii.create({}).processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
    expect(args.violations).toEqual([]);
  });

  test('pii judges every part of a message', async () => {
    const args = inputArgs([messageInParts('p', 'hello', SECRET)]);
    await pii.create({}).processInput?.(args);
    expect(readMessageText(args.messageList.get.input.db()[0] ?? buildTextMessage('', 'user', ''))).toBe(
      'hello***@***.***',
    );
  });

  test('pii finds a value that spans two parts of a message', async () => {
    const args = inputArgs([messageInParts('p', 'card 4111 1111 ', '1111 1111, mail ada@exam', 'ple.com!')]);
    await pii.create({}).processInput?.(args);
    expect(readMessageText(args.messageList.get.input.db()[0] ?? buildTextMessage('', 'user', ''))).toBe(
      'card [REDACTED], mail ***@***.***!',
    );
    expect(args.violations).toMatchObject([
      { rule: 'card', count: 1 },
      { rule: 'email', count: 1 },
    ]);
  });

  test('block aborts with the type, without the value or its place', async () => {
    const args = inputArgs([`I am ${SECRET}`]);
    const stop = await catchStop(() => pii.create({ strategy: 'block' }).processInput?.(args));
    expect(stop).toMatchObject({
      type: 'abort',
      reason: 'Personal data: email.',
      metadata: { rules: ['email'] },
    });
    expect(JSON.stringify([stop, args.violations])).not.toContain(SECRET);
  });

  test('block halts if a response is set', async () => {
    const args = inputArgs([SECRET]);
    const stop = await catchStop(() =>
      pii.create({ strategy: 'block', response: 'No names, please.' }).processInput?.(args),
    );
    expect(stop).toMatchObject({ type: 'halt', response: 'No names, please.' });
  });

  test('filter drops the message', async () => {
    const args = inputArgs(['hello', SECRET]);
    await pii.create({ strategy: 'filter' }).processInput?.(args);
    expect(args.messageList.get.input.db().map(readMessageText)).toEqual(['hello']);
  });

  test('warn changes nothing and reports a value once per run', async () => {
    const processor = pii.create({ strategy: 'warn' });
    const args = inputArgs([SECRET]);
    await processor.processInput?.(args);
    await processor.processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
    expect(args.violations).toHaveLength(1);
    expect(JSON.stringify(args.state)).not.toContain(SECRET);
  });
});

describe('methods of redaction', () => {
  const methods = async (method: string, text: string) => {
    const args = inputArgs([text]);
    await pii.create({ method }).processInput?.(args);
    return args.messageList.get.input.db().map(readMessageText).join('');
  };
  test('placeholder numbers the distinct values of a run', async () => {
    expect(await methods('placeholder', 'a@b.io, c@d.io, A@B.IO, 123-45-6789')).toBe(
      '[EMAIL_1], [EMAIL_2], [EMAIL_1], [SSN_1]',
    );
  });
  test('hash is the same for every spelling of a value', async () => {
    const [first, second] = (await methods('hash', '4111-1111-1111-1111, 4111 1111 1111 1111')).split(', ');
    expect(first).toMatch(/^\[CARD:[a-p]{16}\]$/);
    expect(second).toBe(first);
  });
  test('remove leaves no mark', async () => expect(await methods('remove', `to ${SECRET}!`)).toBe('to !'));
  test.each(['mask', 'hash', 'placeholder'])('pii does not mark %s marks again', async (method) => {
    const once = await methods(method, `${SECRET} 4111 1111 1111 1111 call 555-123-4567 born 3 March 1980`);
    expect(await methods(method, once)).toBe(once);
  });
});

describe('options of pii', () => {
  test('types restricts the detected types', async () => {
    const args = inputArgs([`${SECRET} 123-45-6789`]);
    await pii.create({ types: ['ssn'] }).processInput?.(args);
    expect(args.messageList.get.input.db().map(readMessageText)).toEqual([`${SECRET} [REDACTED]`]);
  });
  test('pii detects uuid and ip only if they are listed', async () => {
    const text = 'id 123e4567-e89b-12d3-a456-426614174000 at 93.184.216.34';
    const args = inputArgs([text]);
    await pii.create({}).processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
    await pii.create({ types: ['uuid', 'ip'] }).processInput?.(args);
    expect(args.messageList.get.input.db().map(readMessageText)).toEqual(['id [REDACTED] at [REDACTED]']);
  });
  test('allow passes values and domains', async () => {
    const args = inputArgs(['Help@Example.com x@corp.test y@other.test']);
    await pii.create({ allow: ['help@example.com', '@corp.test'] }).processInput?.(args);
    expect(args.messageList.get.input.db().map(readMessageText)).toEqual(['Help@Example.com x@corp.test ***@***.***']);
  });
  test('regions selects the detected national numbers', async () => {
    const args = inputArgs(['030 123456']);
    await pii.create({ regions: ['US'] }).processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
  });
  test.each([{ model: 'gpt-5' }, { threshold: 0.5 }, { regions: ['XX'] }, { types: [] }, { strategy: 'rewrite' }])(
    'pii rejects %j',
    (options) => expect(pii.options.safeParse(options).success).toBe(false),
  );
});

describe('personal data in the stream', () => {
  const text = 'Write to ada@example.com or 4111 1111 1111 1111.';
  test('block stops the stream before the value is complete', async () => {
    const args = commonArgs();
    const seen: string[] = [];
    const processor = pii.create({ strategy: 'block' });
    const stop = await catchStop(async () => {
      for (const character of text) {
        for (const chunk of await send(processor, deltaChunk('text', character), args))
          seen.push(JSON.stringify(chunk));
      }
    });
    expect(stop).toMatchObject({ type: 'abort' });
    expect(seen.join('')).not.toContain('"a"');
    expect(seen).toHaveLength('Write to '.split(' ').length - 1);
  });
  test('filter removes the value', async () => {
    expect((await streamText(pii.create({ strategy: 'filter' }), text, [3], 'text')).passed.join('')).toBe(
      'Write to  or .',
    );
  });
  test.each([
    ['tool-call', toolCallChunk({ to: SECRET, n: [1, SECRET] })],
    ['tool-result', toolResultChunk({ from: SECRET })],
    ['object', objectChunk({ mail: SECRET })],
    ['finish', finishChunk(SECRET)],
  ])('pii judges %s as a whole', async (_, chunk) => {
    const [passed] = await send(pii.create({}), chunk, commonArgs());
    expect(JSON.stringify(passed)).toContain('***@***.***');
    expect(JSON.stringify(passed)).not.toContain(SECRET);
  });
  test('a restarted step does not continue the buffer of the rejected one', async () => {
    const processor = pii.create({});
    const args = commonArgs();
    await send(processor, deltaChunk('text', 'rejected'), args);
    await send(processor, stepStartChunk, args);
    await send(processor, deltaChunk('text', 'new'), args);
    expect(JSON.stringify(await send(processor, endChunk('text'), args))).not.toContain('rejected');
  });
});

describe('personal data in tool results', () => {
  test('pii redacts values by the meaning of their names', async () => {
    const result = {
      ssn: '123456789',
      phoneNumber: 4155552671,
      count: 4155552671,
      list: [{ dateOfBirth: '1980-01-02' }],
      card: 4111111111111111,
    };
    expect(await pii.create({}).processToolResult?.(toolResultArgs(result))).toEqual({
      result: {
        ssn: '[REDACTED]',
        phoneNumber: '[REDACTED]',
        count: 4155552671,
        list: [{ dateOfBirth: '[REDACTED]' }],
        card: '[REDACTED]',
      },
    });
  });
  test('pii redacts names, numbers, and values across the members of a list', async () => {
    const result = {
      'ada@example.com': 1,
      'grace@example.com': 2,
      ssn: 12345678,
      parts: ['4111', '1111', '1111', '1111'],
      numbers: [3782, 822463, 10005],
      mail: ['ada@exam', 'ple.com'],
      counts: [1, 2, 3],
    };
    expect(await pii.create({ strict: true }).processToolResult?.(toolResultArgs(result))).toEqual({
      result: {
        '***@***.***': 1,
        '***@***.*** ii': 2,
        ssn: '[REDACTED]',
        parts: ['[REDACTED]', '', '', ''],
        numbers: ['[REDACTED]', '', ''],
        mail: ['ada@exam', 'ple.com'],
        counts: [1, 2, 3],
      },
    });
  });
  test('pii redacts values across the members of an object, the objects of a list, and a long list', async () => {
    const card = ['4111', '1111', '1111', '1111'];
    const many = Array.from({ length: 200 }, (_, at) => (at >= 62 && at < 66 ? (card[at - 62] ?? '') : `item ${at}`));
    const redact = async (result: JsonValue) =>
      pii.create({ strict: true }).processToolResult?.(toolResultArgs(result));
    const members = { a: '4111', b: '1111', c: '1111', d: '1111' };
    expect(await redact(members)).toEqual({ result: { a: '[REDACTED]', b: '', c: '', d: '' } });
    const rows = card.map((digits) => ({ note: { kind: 'digits' }, digits }));
    const marked = rows.map((row, at) => ({ ...row, digits: at === 0 ? '[REDACTED]' : '' }));
    expect(await redact(rows)).toEqual({ result: marked });
    expect(await redact(many)).toEqual({ result: [...many.slice(0, 62), '[REDACTED]', '', '', '', ...many.slice(66)] });
    for (const value of [members, rows, many])
      expect(await pii.create({}).processToolResult?.(toolResultArgs(value))).toBeUndefined();
    expect(await redact({ width: 640, height: 480, depth: [1, 2, 3], rows: [{ id: 1 }, { id: 2 }] })).toBeUndefined();
  });
  test('pii passes other results unchanged', async () => {
    expect(await pii.create({}).processToolResult?.(toolResultArgs({ value: 391 }))).toBeUndefined();
  });
  test('filter drops the result', async () => {
    expect(await pii.create({ strategy: 'filter' }).processToolResult?.(toolResultArgs(SECRET))).toEqual({
      result: LEFT_OUT,
    });
  });
  test('block aborts', async () => {
    expect(
      await catchStop(() => pii.create({ strategy: 'block' }).processToolResult?.(toolResultArgs([SECRET]))),
    ).toMatchObject({ type: 'abort' });
  });
});
