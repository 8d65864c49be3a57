import { commonArgs, inputArgs, resultArgs, stopOf } from '@millrace/testkit';
import { messageText, textMessage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { assistant, finishChunk, objectChunk, toolCallChunk, withTool } from '../testing/messages.ts';
import { send, streamText } from '../testing/stream-text.ts';
import { keyword } from './keyword.ts';

const redacted = async (options: object, text: string) => {
  const args = inputArgs([text]);
  await keyword.create({ strategy: 'redact', ...options }).processInput?.(args);
  return args.messageList.get.input.db().map(messageText).join('');
};

describe('keywords', () => {
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
  ])('%j', async (text, expected) => expect(await redacted({ keywords }, text)).toBe(expected));

  test.each(['the droplet table', 'drop tables', 'drop the table', 'raindrop table', 'drop, table', 'rm -r -f'])(
    '%j is none of them',
    async (text) => expect(await redacted({ keywords }, text)).toBe(text),
  );

  test('are found in words where that is wanted', async () => {
    expect(await redacted({ keywords: ['drop tab'], wholeWords: false }, 'raindrop  tables')).toBe('rain[REDACTED]les');
  });
  test('the longest wins, and what it covers is not found again', async () => {
    expect(await redacted({ keywords: ['ab cd', 'ab cd ef', 'ef gh'] }, 'ab cd ef gh, ab cd')).toBe(
      '[REDACTED] gh, [REDACTED]',
    );
  });
});

describe('words that are cut', () => {
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
  ])('are found: %s', async (text, expected) => expect(await redacted(options, text)).toBe(expected));
  test.each([
    'a backdrop. Table',
    'drop. Table',
    'd. Rop table',
    'the U.S.',
    'x-drop-tables',
    'night. In gale',
    'a night in gales',
  ])('are not seen where there are none: %s', async (text) => expect(await redacted(options, text)).toBe(text));
  test('are parts of words where those count', async () => {
    expect(await redacted({ keywords: ['table'], wholeWords: false }, 'sta.bles')).toBe('s[REDACTED]s');
  });
});

describe('patterns', () => {
  test('are found in any case, in folded text, where an emoji stands before', async () => {
    expect(await redacted({ patterns: ['project-\\d+'] }, '👩‍💻 PROJECT-42 and project-４２')).toBe(
      '👩‍💻 [REDACTED] and [REDACTED]',
    );
  });
  test.each([['^secret'], ['secret$'], ['\\Asecret'], ['(unclosed'], ['x*'], ['(?=x)y'], ['(.{1000}){9}']])(
    '%j is refused',
    (pattern) => expect(keyword.options.safeParse({ patterns: [pattern] }).success).toBe(false),
  );
  test.each([['[^a]x'], ['\\$\\d+'], ['a\\^b'], ['[$^]x']])('%j is none with an anchor', (pattern) =>
    expect(keyword.options.safeParse({ patterns: [pattern] }).success).toBe(true),
  );
});

test.each([{}, { keywords: [' '] }, { keywords: ['x'], threshold: 1 }, { keywords: ['x'], strategy: 'filter' }])(
  'options %j are refused',
  (options) => expect(keyword.options.safeParse(options).success).toBe(false),
);

describe('strategies', () => {
  test('block aborts; the report names the rule, the client does not learn it', async () => {
    const args = inputArgs(['DROP TABLE x']);
    const stop = await stopOf(() => keyword.create({ keywords: ['drop table'] }).processInput?.(args));
    expect(stop).toEqual({
      kind: 'abort',
      reason: 'A keyword was found.',
      options: { metadata: { rules: ['keyword'] } },
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
  test('block with a response halts', async () => {
    const stop = await stopOf(() =>
      keyword.create({ keywords: ['x'], response: 'No.' }).processInput?.(inputArgs(['x'])),
    );
    expect(stop).toMatchObject({ kind: 'halt', response: 'No.' });
  });
  test('warn reports and changes nothing', async () => {
    const args = inputArgs(['x']);
    await keyword.create({ keywords: ['x'], strategy: 'warn' }).processInput?.(args);
    expect(args.messageList.takeOps()).toEqual([]);
    expect(args.violations).toHaveLength(1);
  });
  test.each([
    assistant('a', 'x'),
    textMessage('s', 'system', 'x'),
    withTool('t', { q: 'x' }, null),
    withTool('t', {}, ['x']),
  ])('whatever its role, what the caller sends is judged: $role', async (message) => {
    const stop = await stopOf(() => keyword.create({ keywords: ['x'] }).processInput?.(inputArgs([message])));
    expect(stop).toMatchObject({ kind: 'abort' });
  });
  test('the final answer is judged', async () => {
    const args = resultArgs([assistant('a', 'x y')]);
    await keyword.create({ keywords: ['x'], strategy: 'redact' }).processOutputResult?.(args);
    expect(args.messageList.get.response.db().map(messageText)).toEqual(['[REDACTED] y']);
  });
});

describe('the stream', () => {
  test('block stops before the keyword is through', async () => {
    const args = commonArgs();
    let passed = '';
    const processor = keyword.create({ keywords: ['drop table'] });
    const stop = await stopOf(async () => {
      for (const word of ['Then ', 'dr', 'op ', 'ta', 'ble', ' users'])
        passed += JSON.stringify(await send(processor, delta(word), args));
    });
    expect(stop).toMatchObject({ kind: 'abort' });
    expect(passed).not.toContain('dr');
  });
  test.each([toolCallChunk({ sql: 'drop table' }), objectChunk(['drop table']), finishChunk('drop table')])(
    '$type is judged whole',
    async (chunk) => {
      const [passed] = await send(
        keyword.create({ keywords: ['drop table'], strategy: 'redact' }),
        chunk,
        commonArgs(),
      );
      expect(JSON.stringify(passed)).not.toContain('drop table');
    },
  );
  test('prose is held back no more than a word', async () => {
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
