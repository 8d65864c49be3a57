// Regular expressions that users configure, matched in linear time (RE2): no pattern and no text can hang a guard.
import { RE2JS } from 're2js';
import { z } from 'zod';
import type { Span } from './span.ts';

const MAX_PATTERN_LENGTH = 500;
/** A repetition such as (x{1000}){9} is small to write and large to run. */
const MAX_PROGRAM_SIZE = 2_000;
/** Of all patterns of a guard together: a text in which all of them match costs 0.02 µs a character for each step. */
const MAX_TOTAL_SIZE = 4_000;
/** Programs of this size cost as much as any other guard, where they match. */
const USUAL_SIZE = 150;

export type LinearPattern = {
  source: string;
  test(text: string): boolean;
  /** From left to right, not overlapping. */
  find(text: string): Span[];
  size: number;
};

/** Upper and lower case are the same. */
export const compilePattern = (source: string): LinearPattern => linearPattern(source, compile(source));
export const compileCasePattern = (source: string): LinearPattern => linearPattern(source, RE2JS.compile(source));

function linearPattern(source: string, compiled: RE2JS): LinearPattern {
  return {
    source,
    size: compiled.programSize(),
    test: (text) => compiled.test(text),
    find(text) {
      // To know whether there is a match costs a hundredth of knowing where.
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

const compile = (source: string): RE2JS => RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);

/** How many times more than another guard's a text costs, at worst. */
export const weightOf = (patterns: readonly LinearPattern[]): number =>
  Math.max(1, Math.ceil(patterns.reduce((sum, { size }) => sum + size, 0) / USUAL_SIZE));

/** RE2 syntax: no back-references and no look-around. */
export const patternSchema = z
  .string()
  .min(1)
  .max(MAX_PATTERN_LENGTH)
  .superRefine((source, context) => {
    const problem = problemOf(source);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  });

/** For text that comes in pieces: a stream has no beginning or end that a stretch of it could know. */
export const streamPatternSchema = patternSchema.refine(
  (source) => !hasAnchor(source),
  'anchors (^, $, \\A, \\z) have no place in a stream',
);

/** A problem of all patterns together; undefined where there is none. */
export function totalProblemOf(sources: readonly string[]): string | undefined {
  const sizes = sources.map((source) => (problemOf(source) === undefined ? compile(source).programSize() : 0));
  return sizes.reduce((sum, size) => sum + size, 0) > MAX_TOTAL_SIZE
    ? 'the patterns are too large together when their repetitions are written out'
    : undefined;
}

function problemOf(source: string): string | undefined {
  try {
    const compiled = compile(source);
    if (compiled.programSize() > MAX_PROGRAM_SIZE)
      return 'the pattern is too large when its repetitions are written out';
    if (compiled.test('')) return 'the pattern matches the empty text, and so everything';
    return undefined;
  } catch (error) {
    return `not a pattern of RE2 syntax: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function hasAnchor(source: string): boolean {
  const withoutEscapes = source.replace(/\\[^]/g, (escape) => (/[Az]/.test(escape.charAt(1)) ? '^' : ''));
  return /[\^$]/.test(withoutEscapes.replace(/\[\^?\]?[^\]]*\]/g, ''));
}
