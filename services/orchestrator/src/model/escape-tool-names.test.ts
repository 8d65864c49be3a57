import { expect, test } from 'vitest';
import { escapeToolNames } from './prompt.ts';

const call = (toolName: unknown) => ({ type: 'tool-call', toolCallId: 'c1', toolName, input: {} });
const prompt = (...content: unknown[]) => [{ role: 'assistant' as const, content }];

test.each(Object.getOwnPropertyNames(Object.prototype))('a call of "%s" gets another name', (name) => {
  expect(escapeToolNames(prompt(call(name), { ...call(name), type: 'tool-result' }))).toEqual(
    prompt(call(`${name}_`), { ...call(`${name}_`), type: 'tool-result' }),
  );
});

test('a call of any other name stays the same object', () => {
  const [message] = prompt(call('clock'), { type: 'text', text: 'constructor' });
  expect(escapeToolNames(message ? [message] : [])[0]).toBe(message);
});

test.each([[null], ['constructor'], [call(7)], [call(undefined)]])('a part that is no call (%j) stays', (part) => {
  expect(escapeToolNames(prompt(part))).toEqual(prompt(part));
});

test('system messages stay, because their content is text', () => {
  const system = [{ role: 'system' as const, content: 'constructor' }];
  expect(escapeToolNames(system)).toEqual(system);
});
