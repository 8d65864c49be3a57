import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../base/json.ts';
import { MAX_TIMEOUT_MS, resolveTimeoutMs } from './timeout.ts';

const schema = { type: 'object', properties: { model: { type: 'string' }, modelTimeoutMs: { default: 15_000 } } };
const policy = { timeoutMs: 5_000, addedTimeout: { when: 'model', option: 'modelTimeoutMs' } };

describe('the default timeout of an entry', () => {
  test.each<[JsonObject, number]>([
    [{}, 5_000],
    [{ modelTimeoutMs: 60_000 }, 5_000],
    [{ model: 'openai/x' }, 20_000],
    [{ model: 'openai/x', modelTimeoutMs: 60_000 }, 65_000],
    [{ model: 'openai/x', modelTimeoutMs: MAX_TIMEOUT_MS }, MAX_TIMEOUT_MS],
    [{ model: 'openai/x', modelTimeoutMs: 'long' }, 5_000],
    [{ model: 'openai/x', modelTimeoutMs: -1 }, 5_000],
  ])('The options %j result in a timeout of %i ms', (options, expected) => {
    expect(resolveTimeoutMs(policy, schema, options)).toBe(expected);
  });
  test('A policy without an added timeout has its own, whatever the options are', () => {
    expect(resolveTimeoutMs({ timeoutMs: 5_000 }, schema, { model: 'openai/x' })).toBe(5_000);
  });
});
