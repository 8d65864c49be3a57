import { describe, expect, test } from 'vitest';
import { hasChanges, mayChange, resolveChanges } from './stage-changes.ts';

const schema = {
  type: 'object',
  properties: { strategy: { enum: ['block', 'redact'], default: 'block' }, constructor: { default: 'all' } },
};
const redacting = { option: 'strategy', values: ['redact'] };

describe('advertised changes of a processor', () => {
  test.each([
    ['always', {}, true],
    ['never', { strategy: 'redact' }, false],
    [redacting, { strategy: 'redact' }, true],
    [redacting, { strategy: 'block' }, false],
    [redacting, {}, false],
    [{ option: 'strategy', values: ['block'] }, {}, true],
    [{ option: 'other', values: [1] }, {}, false],
    [{ option: 'constructor', values: ['all'] }, {}, true],
  ] as const)('The advertised changes %j with the options %j resolve to %s', (whether, options, expected) => {
    const given = typeof whether === 'string' ? whether : { option: whether.option, values: [...whether.values] };
    const resolved = resolveChanges({ processInput: given }, schema, options);
    expect(mayChange(resolved, 'processInput')).toBe(expected);
  });

  test('A stage that is absent in the advertised changes allows all of its changes', () => {
    expect(mayChange(resolveChanges({}, schema, {}), 'processInput')).toBe(true);
    expect(mayChange(undefined, 'processInput')).toBe(true);
  });
});

test('A verdict has changes if it has operations or members', () => {
  expect(hasChanges({ type: 'continue' })).toBe(false);
  expect(hasChanges({ type: 'continue', changes: { ops: [] } })).toBe(false);
  expect(hasChanges({ type: 'continue', changes: { ops: [{ op: 'remove', ids: ['m'] }] } })).toBe(true);
  expect(hasChanges({ type: 'continue', changes: { text: '' } })).toBe(true);
  expect(hasChanges({ type: 'continue', changes: { toolCalls: [] } })).toBe(true);
  expect(hasChanges({ type: 'continue', changes: { tools: [], ops: [] } })).toBe(true);
  expect(hasChanges({ type: 'abort', reason: 'no' })).toBe(false);
});
