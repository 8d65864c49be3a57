import { describe, expect, test } from 'vitest';
import { hasChanges, mayChange, resolveChanges } from './stage-changes.ts';

const schema = {
  type: 'object',
  properties: { strategy: { enum: ['block', 'redact'], default: 'block' }, constructor: { default: 'all' } },
};
const redacting = { option: 'strategy', values: ['redact'] };

describe('what a processor says that it changes', () => {
  test.each([
    ['always', {}, true],
    ['never', { strategy: 'redact' }, false],
    [redacting, { strategy: 'redact' }, true],
    [redacting, { strategy: 'block' }, false],
    [redacting, {}, false],
    [{ option: 'strategy', values: ['block'] }, {}, true],
    [{ option: 'other', values: [1] }, {}, false],
    [{ option: 'constructor', values: ['all'] }, {}, true],
  ] as const)('%j with the options %j: %s', (whether, options, expected) => {
    const given = typeof whether === 'string' ? whether : { option: whether.option, values: [...whether.values] };
    const resolved = resolveChanges({ processInput: given }, schema, options);
    expect(mayChange(resolved, 'processInput')).toBe(expected);
  });

  test('is all that the stage allows where it is not named', () => {
    expect(mayChange(resolveChanges({}, schema, {}), 'processInput')).toBe(true);
    expect(mayChange(undefined, 'processInput')).toBe(true);
  });
});

test('a verdict changes something where it has operations or members', () => {
  expect(hasChanges({ type: 'continue' })).toBe(false);
  expect(hasChanges({ type: 'continue', changes: { ops: [] } })).toBe(false);
  expect(hasChanges({ type: 'continue', changes: { ops: [{ op: 'remove', ids: ['m'] }] } })).toBe(true);
  expect(hasChanges({ type: 'continue', changes: { text: '' } })).toBe(true);
  expect(hasChanges({ type: 'continue', changes: { toolCalls: [] } })).toBe(true);
  expect(hasChanges({ type: 'continue', changes: { tools: [], ops: [] } })).toBe(true);
  expect(hasChanges({ type: 'abort', reason: 'no' })).toBe(false);
});
