// Errors of an expression with their position, which the model reads before it tries again.
import { MillraceError } from '@millrace/contracts';

/** The expression cannot be parsed. @param at index in the expression; reported as a position from 1 */
export function createSyntaxError(at: number, problem: string): MillraceError {
  return new MillraceError('tool-arguments-invalid', `expression: ${problem}, at position ${at + 1}.`, {
    path: 'expression',
  });
}

/** The expression can be parsed but has no value: a division by zero, a root of a negative number. */
export function createNoValueError(at: number, problem: string): MillraceError {
  return new MillraceError('tool-failed', `The expression has no value: ${problem}, at position ${at + 1}.`, {
    path: 'expression',
  });
}
