// Options that keep their check busy, for the maximum number of entries.
import { expect, test } from 'vitest';
import { makeFound, known } from '../testing/known-processors.ts';
import { resolveAgent } from './resolve-agent.ts';

const definition = { name: 'demo', model: 'openai/gpt-5-mini' };

test('options with an endless check, of one entry or of all together, are refused in bounded time', () => {
  const doubled = Object.fromEntries(
    Array.from({ length: 40 }, (_, at) => [
      `d${at}`,
      at === 0 ? { type: 'string' } : { allOf: [{ $ref: `#/$defs/d${at - 1}` }, { $ref: `#/$defs/d${at - 1}` }] },
    ]),
  );
  const slow = makeFound('slow', ['processInput'], {
    optionsSchema: { properties: { text: { pattern: '^(?=a)(a+)+$' }, tree: { $ref: '#/$defs/d39' } }, $defs: doubled },
  });
  const input = Array.from({ length: 100 }, (_, at) => ({
    use: 'slow',
    as: `slow-${at}`,
    options: { text: `${'a'.repeat(40)}b${at}`, tree: 17 },
  }));
  const before = process.cpuUsage();
  const resolved = resolveAgent({ ...definition, input }, { ...known, processors: new Map([['slow', slow]]) });
  expect(process.cpuUsage(before).user).toBeLessThan(15_000_000);
  const messages = 'issues' in resolved ? resolved.issues.map(({ message }) => message) : [];
  expect(messages[0]).toMatch(/slow: cannot be checked: it takes longer than/);
  expect(messages.at(-1)).toMatch(/The options take longer to check than/);
  expect(messages.length).toBeLessThan(20);
});

test('only the first unknown fields of an object get a suggestion', () => {
  const unknown = Object.fromEntries(Array.from({ length: 25 }, (_, at) => [`mode${String.fromCharCode(97 + at)}`, 1]));
  const resolved = resolveAgent({ ...definition, ...unknown }, known);
  const messages = 'issues' in resolved ? resolved.issues.map(({ message }) => message) : [];
  const hinted = messages.filter((message) => message.includes('did you mean'));
  expect(messages.filter((message) => message.startsWith('There is no field'))).toHaveLength(24);
  expect(hinted).toHaveLength(10);
});
