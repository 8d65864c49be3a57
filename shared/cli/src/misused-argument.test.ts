import { MillraceError } from '@millrace/contracts';
import { expect, test } from 'vitest';
import { misusedArgument } from './misused-argument.ts';

const args = { agent: { type: 'positional' }, timeout: { type: 'string' }, tenant: { type: 'string' } };
const given = { agent: 'demo', timeout: '1s', tenant: 'a b' };
const said = (error: MillraceError) => misusedArgument(error, 'millrace run', args, given)?.message;

test('a refused field is said as the argument that fills it, several of them together', () => {
  const issues = [
    { code: 'message-invalid' as const, message: 'must be at least 1', path: 'deadlineMs' },
    { code: 'message-invalid' as const, message: 'must be a string', path: 'agent' },
  ];
  expect(said(new MillraceError('message-invalid', 'It does not fit.', { issues }))).toBe(
    '--timeout must be at least 1; AGENT must be a string',
  );
});

test('a refused field in the message alone is said without the rest of the message', () => {
  const message = 'The submit request does not fit: deadlineMs must be at least 1.';
  expect(said(new MillraceError('message-invalid', message, { path: 'deadlineMs' }))).toBe(
    '--timeout must be at least 1',
  );
});

test('an id that cannot stand in a subject is said with its argument', () => {
  const error = new MillraceError('token-invalid', '"a b" cannot stand in a subject.', { remedy: 'Use letters.' });
  expect(said(error)).toBe('--tenant is no id: Use letters.');
});

test('what is about nothing that was typed stays a refusal', () => {
  expect(said(new MillraceError('message-invalid', 'x', { path: 'messages[0].content' }))).toBeUndefined();
  expect(said(new MillraceError('message-invalid', 'x', { path: 'threadId' }))).toBeUndefined();
  expect(said(new MillraceError('agent-unknown', 'x', { path: 'agent' }))).toBeUndefined();
});
