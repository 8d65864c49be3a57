import { commonArgs, inputArgs, resultArgs, catchStop } from '@millrace/testkit';
import { readMessageText, buildTextMessage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { assistant, finishChunk, objectChunk, toolCallChunk, messageWithTool } from '../../testing/messages.ts';
import { send, streamText } from '../../testing/stream-text.ts';
import { keyword } from './keyword.ts';

const redactText = async (options: object, text: string) => {
  const args = inputArgs([text]);
  await keyword.create({ strategy: 'redact', ...options }).processInput?.(args);
  return args.messageList.get.input.db().map(readMessageText).join('');
};

describe('keywords in texts', () => {
  const keywords = ['drop table', 'c++', 'Straße', '秘密', 'rm -rf'];
  test.each([
    ['please DROP   TABLE users', 'please [REDACTED] users'],
    ['drop\n\ttable', '[REDACTED]'],
    ['ＤＲＯＰ　ｔａｂｌｅ', '[REDACTED]'],
    ['𝐝𝐫𝐨𝐩 table', '[REDACTED]'],
    ['dr\u200bop ta\u00adble!', '[REDACTED]!'],
    [String.raw`drop\ntable`, '[REDACTED]'],
    ['(drop table)', '([REDACTED])'],
    ['C++17, c++', '[REDACTED]17, [REDACTED]'],
    ['STRAßE straße', '[REDACTED] [REDACTED]'],
    ['これは秘密です', 'これは[REDACTED]です'],
    ['sudo rm -rf /', 'sudo [REDACTED] /'],
  ])('the guard finds a keyword in %j', async (text, expected) =>
    expect(await redactText({ keywords }, text)).toBe(expected),
  );

  test.each(['the droplet table', 'drop tables', 'drop the table', 'raindrop table', 'drop, table', 'rm -r -f'])(
    'the guard finds no keyword in %j',
    async (text) => expect(await redactText({ keywords }, text)).toBe(text),
  );

  test('the guard finds keywords inside words if configured', async () => {
    expect(await redactText({ keywords: ['drop tab'], wholeWords: false }, 'raindrop  tables')).toBe(
      'rain[REDACTED]les',
    );
  });
  test('the guard reports the longest keyword and no other keyword inside of it', async () => {
    expect(await redactText({ keywords: ['ab cd', 'ab cd ef', 'ef gh'] }, 'ab cd ef gh, ab cd')).toBe(
      '[REDACTED] gh, [REDACTED]',
    );
  });
});

describe('split words', () => {
  const options = { keywords: ['drop table', 'nightingale', 'us'] };
  test.each([
    ['d.r.o.p t-a-b-l-e', '[REDACTED]'],
    ['please dr*op* ta_ble now', 'please [REDACTED] now'],
    ['drop-table', '[REDACTED]'],
    ['d r o p  t a b l e!', '[REDACTED]!'],
    ['dröp táble', '[REDACTED]'],
    ['dro\u0301p table', '[REDACTED]'],
    ['The N.I.G.H.T.I.N.G.A.L.E. sings', 'The [REDACTED]. sings'],
    ['night-in-gale', '[REDACTED]'],
    ['n&#46;ightingale', '[REDACTED]'],
    ['drop **table**', '[REDACTED]**'],
    ['**Drop** table', '**[REDACTED]'],
    ['_drop table_', '_[REDACTED]_'],
    ["drop 'table'", "[REDACTED]'"],
    ['drop - table', '[REDACTED]'],
    ['drop\n> table', '[REDACTED]'],
    ['the DropTable', 'the [REDACTED]'],
    ['__nightingale__', '__[REDACTED]__'],
    ['_ñ_ _nightingale_', '_ñ_ _[REDACTED]_'],
  ])('the guard finds %s', async (text, expected) => expect(await redactText(options, text)).toBe(expected));
  test.each([
    'a backdrop. Table',
    'drop. Table',
    'd. Rop table',
    'the U.S.',
    'x-drop-tables',
    'night. In gale',
    'a night in gales',
    'nightingale_x',
    'the droptable',
    'a DropTableau',
    'drop, **table**',
  ])('the guard finds nothing in %s', async (text) => expect(await redactText(options, text)).toBe(text));
  test('the guard finds split words inside words if configured', async () => {
    expect(await redactText({ keywords: ['table'], wholeWords: false }, 'sta.bles')).toBe('s[REDACTED]s');
  });
});

describe('patterns of operators', () => {
  test('a pattern matches case-insensitively in folded text, and after an emoji', async () => {
    expect(await redactText({ patterns: ['project-\\d+'] }, '👩‍💻 PROJECT-42 and project-４２')).toBe(
      '👩‍💻 [REDACTED] and [REDACTED]',
    );
  });
  test.each([['^secret'], ['secret$'], ['\\Asecret'], ['(unclosed'], ['x*'], ['(?=x)y'], ['(.{1000}){9}']])(
    'the options reject the pattern %j',
    (pattern) => expect(keyword.options.safeParse({ patterns: [pattern] }).success).toBe(false),
  );
  test.each([['[^a]x'], ['\\$\\d+'], ['a\\^b'], ['[$^]x']])(
    'the options reject the pattern %j with an anchor',
    (pattern) => expect(keyword.options.safeParse({ patterns: [pattern] }).success).toBe(true),
  );
});

test.each([{}, { keywords: [' '] }, { keywords: ['x'], threshold: 1 }, { keywords: ['x'], strategy: 'filter' }])(
  'the guard rejects the options %j',
  (options) => expect(keyword.options.safeParse(options).success).toBe(false),
);

describe('strategies of the keyword guard', () => {
  test('block aborts with the rule in the report and without the keyword for the client', async () => {
    const args = inputArgs(['DROP TABLE x']);
    const stop = await catchStop(() => keyword.create({ keywords: ['drop table'] }).processInput?.(args));
    expect(stop).toEqual({
      type: 'abort',
      reason: 'A keyword was found.',
      metadata: { rules: ['keyword'] },
    });
    expect(args.violations).toEqual([
      {
        message: 'A keyword was found.',
        rule: 'keyword',
        strategy: 'block',
        count: 1,
        detail: { hits: [{ messageId: 'm0', keyword: 'drop table', start: 0, end: 10 }] },
      },
    ]);
  });
  test('block halts if a response is set', async () => {
    const stop = await catchStop(() =>
      keyword.create({ keywords: ['x'], response: 'No.' }).processInput?.(inputArgs(['x'])),
    );
    expect(stop).toMatchObject({ type: 'halt', response: 'No.' });
  });
  test('warn reports and changes nothing', async () => {
    const args = inputArgs(['x']);
    await keyword.create({ keywords: ['x'], strategy: 'warn' }).processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
    expect(args.violations).toHaveLength(1);
  });
  test.each([
    assistant('a', 'x'),
    buildTextMessage('s', 'system', 'x'),
    messageWithTool('t', { q: 'x' }, null),
    messageWithTool('t', {}, ['x']),
  ])("the guard judges the caller's message of the role $role", async (message) => {
    const stop = await catchStop(() => keyword.create({ keywords: ['x'] }).processInput?.(inputArgs([message])));
    expect(stop).toMatchObject({ type: 'abort' });
  });
  test('the guard judges the final answer', async () => {
    const args = resultArgs([assistant('a', 'x y')]);
    await keyword.create({ keywords: ['x'], strategy: 'redact' }).processOutputResult?.(args);
    expect(args.messageList.get.response.db().map(readMessageText)).toEqual(['[REDACTED] y']);
  });
});

describe('keywords in the stream', () => {
  test('block stops the stream before the keyword is complete', async () => {
    const args = commonArgs();
    let passed = '';
    const processor = keyword.create({ keywords: ['drop table'] });
    const stop = await catchStop(async () => {
      for (const word of ['Then ', 'dr', 'op ', 'ta', 'ble', ' users'])
        passed += JSON.stringify(await send(processor, delta(word), args));
    });
    expect(stop).toMatchObject({ type: 'abort' });
    expect(passed).not.toContain('dr');
  });
  test.each([toolCallChunk({ sql: 'drop table' }), objectChunk(['drop table']), finishChunk('drop table')])(
    'the guard judges $type as a whole',
    async (chunk) => {
      const [passed] = await send(
        keyword.create({ keywords: ['drop table'], strategy: 'redact' }),
        chunk,
        commonArgs(),
      );
      expect(JSON.stringify(passed)).not.toContain('drop table');
    },
  );
  test('the guard buffers at most one word of prose', async () => {
    const { passed } = await streamText(
      keyword.create({ keywords: ['drop table'] }),
      'Hello world. This is',
      [1],
      'text',
      {
        end: false,
      },
    );
    expect(passed.join('')).toBe('Hello world. This ');
  });
});

function delta(text: string) {
  return { runId: 'r1', from: 'AGENT' as const, type: 'text-delta' as const, payload: { id: 'p', text } };
}
