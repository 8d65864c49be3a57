// Regular expressions that users configure, matched in linear time (RE2): no pattern and no text can hang a guard. Upper and
// lower case are the same.
import { RE2JS } from 're2js';
import { z } from 'zod';
import type { Span } from './span.ts';

const MAX_PATTERN_LENGTH = 500;
/** A repetition such as (x{1000}){9} is small to write and large to run. */
const MAX_PROGRAM_SIZE = 5_000;

export type LinearPattern = {
  source: string;
  test(text: string): boolean;
  /** From left to right, not overlapping. */
  find(text: string): Span[];
};

export function compilePattern(source: string): LinearPattern {
  const compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
  return {
    source,
    test: (text) => compiled.test(text),
    find(text) {
      if (!compiled.test(text)) return [];
      const matcher = compiled.matcher(text);
      const found: Span[] = [];
      while (matcher.find()) {
        if (matcher.end() > matcher.start()) found.push({ start: matcher.start(), end: matcher.end() });
      }
      return found;
    },
  };
}

/** RE2 syntax: no back-references and no look-around. */
export const patternSchema = z
  .string()
  .min(1)
  .max(MAX_PATTERN_LENGTH)
  .superRefine((source, context) => {
    const problem = problemOf(source);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

function problemOf(source: string): string | undefined {
  try {
    const compiled = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);
    if (compiled.programSize() > MAX_PROGRAM_SIZE)
      return 'the pattern is too large when its repetitions are written out';
    if (compiled.test('')) return 'the pattern matches the empty text, and so everything';
    return undefined;
  } catch (error) {
    return `not a pattern of RE2 syntax: ${error instanceof Error ? error.message : String(error)}`;
  }
}
