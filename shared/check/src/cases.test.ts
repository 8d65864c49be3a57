import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import { casesFileSchema, selectCases } from './cases.ts';
import { createRandom } from './random.ts';
import { toolRules } from './rules/tool-rules.ts';
import { RULES } from './check-processor.ts';
import { sampleOptions, writeDefaults } from './sample-options.ts';
import { cutAtRandom } from './stream-text.ts';
import { findDifference } from './rules/case-rules.ts';

const page = await readFile(resolve(import.meta.dirname, '../../../docs/check.md'), 'utf8');

test('The cases of docs/check.md are valid, and each rule is in its table', () => {
  const [, text = ''] = /```json cases\n([^]*?)```/.exec(page) ?? [];
  expect(casesFileSchema.safeParse(JSON.parse(text)).error).toBeUndefined();
  const named = [...page.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell = '']) => [...cell.matchAll(/`(.*?)`/g)]);
  expect(new Set(named.map(([, id]) => id))).toEqual(new Set([...RULES, ...toolRules].map(({ id }) => id)));
});

test('A cases file may contain several processors; an absent one has no cases', () => {
  const file = casesFileSchema.parse({ processors: { a: { repeatable: false } } });
  expect(selectCases(file, 'a').repeatable).toBe(false);
  for (const other of ['b', 'constructor']) expect(selectCases(file, other)).toEqual(selectCases(undefined, other));
});

describe('generated options', () => {
  const given: [string, object, object][] = [
    ['nothing where nothing is asked for', { properties: { a: { type: 'string' } } }, {}],
    ['left to their defaults', { required: ['a'], properties: { a: { type: 'string', default: 'x' } } }, {}],
    ['the first of an enum', { required: ['a'], properties: { a: { enum: ['one', 'two'] } } }, { a: 'one' }],
    ['the smallest number', { required: ['a'], properties: { a: { type: 'integer', minimum: 3 } } }, { a: 3 }],
    [
      'lists with required members, also if they are defined elsewhere',
      {
        required: ['rules'],
        properties: { rules: { type: 'array', minItems: 1, items: { $ref: '#/$defs/rule' } } },
        $defs: { rule: { type: 'object', required: ['name'], properties: { name: { type: 'string', minLength: 2 } } } },
      },
      { rules: [{ name: 'xx' }] },
    ],
  ];
  test.each(given)('The options fit the schema: %s', (_name, schema, options) => {
    expect(sampleOptions(JSON.parse(JSON.stringify(schema)))).toEqual(options);
  });

  test.each([
    ['a list', { type: 'array', minItems: 1e12 }],
    ['a list of -1', { type: 'array', minItems: -1 }],
    ['a text', { type: 'string', minLength: 1e12 }],
    ['lists of lists', { $ref: '#/$defs/lists' }],
    ['objects of objects', { $ref: '#/$defs/objects' }],
  ])('The generated options are bounded if a foreign schema requires unbounded %s', (_name, a) => {
    const names = Array.from({ length: 50 }, (_, at) => `p${at}`);
    const schema = {
      required: ['a'],
      properties: { a },
      $defs: {
        lists: { type: 'array', minItems: 50, items: { $ref: '#/$defs/lists' } },
        objects: {
          type: 'object',
          required: names,
          properties: Object.fromEntries(names.map((name) => [name, { $ref: '#/$defs/objects' }])),
        },
      },
    };
    expect(JSON.stringify(sampleOptions(JSON.parse(JSON.stringify(schema)))).length).toBeLessThan(100_000);
  });

  test('writeDefaults writes every default', () => {
    expect(writeDefaults({ properties: { a: { default: 1 }, b: { default: 2 } } }, { b: 3 })).toEqual({ a: 1, b: 3 });
  });
});

test('A seed repeats its cuts, and a cut loses nothing', () => {
  const text = 'na\u00efve 👩‍👩‍👧 secret';
  const cuts = (seed: number) => Array.from({ length: 20 }, () => cutAtRandom(text, createRandom(seed)));
  expect(cuts(1)).toEqual(cuts(1));
  for (let seed = 0; seed < 50; seed += 1) expect(cutAtRandom(text, createRandom(seed)).join('')).toBe(text);
  expect(cutAtRandom('', createRandom(1))).toEqual([]);
});

test('A difference has its path; absent members are not compared', () => {
  expect(findDifference({ type: 'abort' }, { type: 'abort', reason: 'x' })).toBeUndefined();
  expect(findDifference({ a: [{ b: 1 }] }, { a: [{ b: 2 }] })).toBe('the verdict.a.0.b is 2, not 1');
  expect(findDifference({ a: [1] }, { a: [1, 2] })).toMatch(/the verdict\.a is \[1,2\]/);
  expect(findDifference({ a: {} }, {})).toMatch(/the verdict\.a is undefined/);
});
