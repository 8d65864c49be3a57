import { MillraceError } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { explainMisusedArgument } from './misused-argument.ts';

const args = { agent: { type: 'positional' }, timeout: { type: 'string' }, tenant: { type: 'string' } };
const given = { agent: 'demo', timeout: '1s', tenant: 'a b' };
const readMessage = (error: MillraceError) => explainMisusedArgument(error, 'millrace run', args, given)?.message;

test('An error about request fields names the arguments that fill them, several of them together', () => {
  const issues = [
    { code: 'message-invalid' as const, message: 'must be at least 1', path: 'deadlineMs' },
    { code: 'message-invalid' as const, message: 'must be a string', path: 'agent' },
  ];
  expect(readMessage(new MillraceError('message-invalid', 'It does not fit.', { issues }))).toBe(
    '--timeout must be at least 1; AGENT must be a string',
  );
});

test('An error that names a field only in its message is printed without the rest of the message', () => {
  const message = 'The submit request does not fit: deadlineMs must be at least 1.';
  expect(readMessage(new MillraceError('message-invalid', message, { path: 'deadlineMs' }))).toBe(
    '--timeout must be at least 1',
  );
});

test('An error about an id that is no subject token names its argument', () => {
  const error = new MillraceError('token-invalid', '"a b" cannot stand in a subject.', { remedy: 'Use letters.' });
  expect(readMessage(error)).toBe('--tenant is not an id: Use letters.');
});

test('An error that is not about an argument stays a rejection', () => {
  expect(readMessage(new MillraceError('message-invalid', 'x', { path: 'messages[0].content' }))).toBeUndefined();
  expect(readMessage(new MillraceError('message-invalid', 'x', { path: 'threadId' }))).toBeUndefined();
  expect(readMessage(new MillraceError('agent-unknown', 'x', { path: 'agent' }))).toBeUndefined();
});
