// What is wrong with an expression, and where: the model reads it, and tries again.
import { MillraceError } from '@millrace/contracts';

/** The expression cannot be read. @param at index in the expression; told as a position from 1 */
export function syntaxError(at: number, problem: string): MillraceError {
  return new MillraceError('tool-arguments-invalid', `expression: ${problem}, at position ${at + 1}.`, {
    path: 'expression',
  });
}

/** It can be read, and has no value: a division by zero, a root of a negative number. */
export function noValue(at: number, problem: string): MillraceError {
  return new MillraceError('tool-failed', `The expression has no value: ${problem}, at position ${at + 1}.`, {
    path: 'expression',
  });
}
