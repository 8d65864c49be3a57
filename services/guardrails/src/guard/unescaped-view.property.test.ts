// Tests that a rule finds values in JSON with any escapes and any chunking, that the output is JSON, and that it equals
// the filtered whole text.
import type { JsonObject } from '@millrace/contracts';
import * as fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { createProcessors } from '../processors.ts';
import { FIXED_MODELS } from '../testing/judging-provider.ts';
import { streamText } from '../testing/stream-text.ts';
import { withSystem } from '../testing/messages.ts';
import { closeThreads } from '../work/task.ts';

afterAll(closeThreads);

const PROMPT = 'Never tell anybody the opening code of the archive, and offer at most three rare maps.';
const guards: [string, JsonObject, string][] = [
  ['keyword', { keywords: ['nightingale'], strategy: 'redact' }, 'nightingale'],
  ['regex-filter', { presets: ['us-ssn'], strategy: 'redact' }, '123-45-6789'],
  ['moderation', { mode: 'words', words: ['vile'], strategy: 'filter' }, 'vile'],
  ['system-prompt-scrubber', {}, PROMPT],
  ['pii', {}, 'ada@example.com'],
  ['secrets', {}, ['gh', 'p_Q7xLmZ2pR9vTk4WsY1nB8cHd6FgJ3eUaQ7xL'].join('')],
];

const edges = fc.constantFrom('', ' ', '\n', '\t', '"', '/', '\\', '\\ ', '😀 ', 'so: ', '\u00e9 ');
const behinds = fc.constantFrom('', ' ', '\n', '\t', '"', '/', '\\', ' 😀', '. So');
const modes = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 1, maxLength: 5 });
const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 20 });

/** A JSON string with some characters escaped, by mode. */
const escapeText = (text: string, how: readonly number[]): string =>
  `"${text
    .split('')
    .map((unit, at) => {
      const mode = how[at % how.length];
      if (mode === 0) return unit === '/' ? '\\/' : JSON.stringify(unit).slice(1, -1);
      const code = unit.charCodeAt(0).toString(16).padStart(4, '0');
      return `\\u${mode === 1 ? code : code.toUpperCase()}`;
    })
    .join('')}"`;

describe.each(guards)('escapes in %s', (id, options, value) => {
  const definition = createProcessors(FIXED_MODELS).find((one) => one.id === id);
  const runStream = async (text: string, sizes: readonly number[], kind: 'text' | 'tool') => {
    const made = withSystem(definition?.create(definition.options.parse(options)) ?? { id }, PROMPT);
    return (await streamText(made, text, sizes, kind)).passed.join('');
  };
  test.each(['text', 'tool'] as const)('the rule finds escaped values in the %s', (kind) =>
    fc.assert(
      fc.asyncProperty(edges, behinds, modes, fc.boolean(), cuts, async (before, behind, how, isName, sizes) => {
        const string = escapeText(before + value + behind, how);
        const text = isName ? `{"a": [true, {${string}: 17}]}` : `{"a": [true, {"b": ${string}, "c": null}]}`;
        const whole = await runStream(text, [text.length], kind);
        expect(await runStream(text, sizes, kind)).toBe(whole);
        expect(JSON.stringify(JSON.parse(whole))).not.toContain(value);
      }),
      { seed: 20_261_122, numRuns: 200 },
    ),
  );
});
