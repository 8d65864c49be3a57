import type { JsonObject } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { known } from '../testing/known-processors.ts';
import { resolveAgent } from './resolve-agent.ts';

const resolve = (more: JsonObject) => resolveAgent({ name: 'demo', model: 'openai/gpt-5-mini', ...more }, known);

test('keeps an entry under overrides, unless every use of it is `replaceable`', () => {
  const resolved = resolve({
    input: [
      'unicode-normalizer',
      { use: 'pii', replaceable: true },
      { use: 'keyword', required: true },
      { use: 'keyword', as: 'fixed', replaceable: false },
    ],
    output: [{ use: 'pii', replaceable: true }],
    memory: {},
  });
  const kept = 'plan' in resolved ? Object.values(resolved.plan.entries).filter(({ required }) => required) : [];
  expect(kept.map(({ entry }) => entry).toSorted()).toEqual([
    'fixed',
    'keyword',
    'message-history',
    'unicode-normalizer',
  ]);
});

test.each<[string, JsonObject, object]>([
  [
    'an entry that is replaceable at one of its two places',
    { input: [{ use: 'pii', replaceable: true }], output: ['pii'] },
    {
      code: 'agent-invalid',
      path: 'input[0].replaceable',
      message: expect.stringMatching(/"pii".*output\[0\].*input\[0\]/),
    },
  ],
  [
    'an entry that is replaceable and required',
    { input: [{ use: 'pii', replaceable: true, required: true }] },
    { code: 'agent-invalid', path: 'input[0].replaceable', message: expect.stringContaining('required') },
  ],
  [
    'a memory that is replaceable',
    { input: [{ use: 'memory', replaceable: true }], output: [{ use: 'memory', replaceable: true }], memory: {} },
    {
      code: 'agent-invalid',
      path: 'input[0].replaceable',
      message: '"message-history" cannot be replaced, because memory stays in every run.',
    },
  ],
])('resolving an agent refuses %s', (_what, more, issue) => {
  const resolved = resolve(more);
  expect('issues' in resolved ? resolved.issues : []).toEqual(expect.arrayContaining([expect.objectContaining(issue)]));
});
