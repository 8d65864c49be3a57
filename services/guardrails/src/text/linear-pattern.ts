// Compiles configured regular expressions to RE2, which matches in linear time: no pattern and no text can block a
// guard.
import { hasAnchor, RE2_FORMAT, RE2_UNANCHORED_FORMAT } from '@millrace/contracts';
import { RE2JS } from 're2js';
import { z } from 'zod';
import type { TextSpan } from './span.ts';

const MAX_PATTERN_LENGTH = 500;
/** Maximum size of a compiled pattern: (x{1000}){9} is short to write and expensive to run. */
const MAX_PROGRAM_SIZE = 2_000;
/** Maximum size of all patterns of a guard: a text in which all match costs 0.02 µs per character and step. */
const MAX_TOTAL_SIZE = 4_000;
/** Size up to which matching costs no more than any other guard. */
const USUAL_SIZE = 150;

export type TextPattern = {
  source: string;
  matches(text: string): boolean;
  /** Returns matches from left to right without overlap. */
  find(text: string): TextSpan[];
  size: number;
};

/** Compiles a case-insensitive pattern. */
export const compilePattern = (source: string): TextPattern => wrapCompiled(source, compile(source));
export const compileCasePattern = (source: string): TextPattern => wrapCompiled(source, RE2JS.compile(source));

function wrapCompiled(source: string, compiled: RE2JS): TextPattern {
  return {
    source,
    size: compiled.programSize(),
    matches: (text) => compiled.test(text),
    find(text) {
      // Testing for a match costs a hundredth of finding its place.
      if (!compiled.test(text)) return [];
      const matcher = compiled.matcher(text);
      const found: TextSpan[] = [];
      while (matcher.find()) {
        if (matcher.end() > matcher.start()) found.push({ start: matcher.start(), end: matcher.end() });
      }
      return found;
    },
  };
}

const compile = (source: string): RE2JS => RE2JS.compile(source, RE2JS.CASE_INSENSITIVE);

/** Length of the longest probe, in code units: that of a stretch. */
const PROBE = 512;
/** Length of the probes that choose the slowest text, and of the one between. */
const [SHORT_PROBE, MIDDLE_PROBE] = [32, 128];
/** Duration of a probe by any other guard, ms. */
const USUAL_PROBE_MS = 1.25;
/** Above this duration every text of some length is judged by a thread, so that nothing more is measured. */
const ENOUGH_MS = 30;
/** Duration of all probes of one guard, ms, after which the remaining patterns count as slow: probes block the event loop. One pattern takes less than 180. */
const MAX_PROBING_MS = 100;
/** Texts that are probed at the middle length: the slowest short ones. */
const MAX_CANDIDATES = 3;
/** Characters of a pattern that are probed, with those of its classes. */
const MAX_PROBED = 8;
const CLASS_CHARACTERS = 'a0 ';
const MAX_MEASURED = 1_000;
/** Durations by pattern, ms. */
const measured = new Map<string, number>();

/** Finds all matches of the pattern in the text. @returns the processor time, ms */
export type MeasureFind = (pattern: TextPattern, text: string) => number;

/**
 * Returns the maximum cost of a text relative to other guards. The size of a pattern does not bound it: at each match
 * `x.*y|x` reads to the end of the stretch.
 */
export function weighPatterns(
  patterns: readonly TextPattern[],
  measureFind: MeasureFind = measureProcessorTime,
): number {
  const size = patterns.reduce((sum, pattern) => sum + pattern.size, 0);
  let spentMs = 0;
  let probeMs = 0;
  const measure: MeasureFind = (pattern, text) => {
    const ms = measureFind(pattern, text);
    spentMs += ms;
    return ms;
  };
  for (const pattern of patterns) {
    if (probeMs >= ENOUGH_MS) break;
    probeMs += spentMs < MAX_PROBING_MS ? measureWorst(pattern, measure) : ENOUGH_MS;
  }
  return Math.max(1, Math.ceil(size / USUAL_SIZE), Math.ceil(probeMs / USUAL_PROBE_MS));
}

/** Returns the processor time, ms, of the slowest text of one repeated character, or of all of them. */
function measureWorst(pattern: TextPattern, measure: MeasureFind): number {
  const known = measured.get(pattern.source);
  if (known !== undefined) return known;
  const worst = probeSlowest(pattern, measure);
  if (measured.size >= MAX_MEASURED) measured.clear();
  measured.set(pattern.source, worst);
  return worst;
}

/** Probes short texts first: a search takes at least proportional and at most quadratic time. */
function probeSlowest(pattern: TextPattern, measure: MeasureFind): number {
  const probe = (text: string, length: number): number => {
    const repeated = text.repeat(length).slice(0, length);
    const first = measure(pattern, repeated);
    // The lower of two measurements counts, because other work of the machine disturbs the first one.
    const ms = first >= ENOUGH_MS ? first : Math.min(first, measure(pattern, repeated));
    return (ms * PROBE) / length;
  };
  const timed: { text: string; ms: number }[] = [];
  for (const text of listProbeTexts(pattern)) {
    const ms = probe(text, SHORT_PROBE);
    if (ms >= ENOUGH_MS) return ms;
    timed.push({ text, ms });
  }
  // A short probe takes microseconds: a collection on another thread makes a fast text the slowest.
  const candidates = timed.toSorted((a, b) => b.ms - a.ms).slice(0, MAX_CANDIDATES);
  let slowest = { text: '', ms: -1 };
  for (const { text } of candidates) {
    const ms = probe(text, MIDDLE_PROBE);
    if (ms >= ENOUGH_MS) return ms;
    if (ms > slowest.ms) slowest = { text, ms };
  }
  return probe(slowest.text, PROBE);
}

function listProbeTexts({ source }: TextPattern): string[] {
  const characters = source.replace(/\\[^]/g, '').replace(/[^\p{L}\p{N}\s@:/_-]/gu, '') + CLASS_CHARACTERS;
  const probed = [...new Set(characters)].slice(-MAX_PROBED);
  return [...probed, probed.join('')];
}

function measureProcessorTime(pattern: TextPattern, text: string): number {
  const { user, system } = process.cpuUsage();
  pattern.find(text);
  const used = process.cpuUsage({ user, system });
  return (used.user + used.system) / 1_000;
}

/** RE2 syntax: no back-references and no look-around. */
export const patternSchema = z
  .string()
  .min(1)
  .max(MAX_PATTERN_LENGTH)
  .superRefine((source, context) => {
    const problem = findProblem(source);
    if (problem) context.addIssue({ code: 'custom', message: problem });
  })
  .meta({ format: RE2_FORMAT });

/** Pattern for streamed text: a part of a stream has no known start or end. */
export const streamPatternSchema = patternSchema
  .refine((source) => !hasAnchor(source), 'anchors (^, $, \\\\A, \\\\z) do not work in a stream')
  .meta({ format: RE2_UNANCHORED_FORMAT });

/**
 * Rejects options with patterns that are too large together.
 * @param name the option that the issue names
 */
export const boundPatterns =
  <T>(name: string, listSources: (options: T) => readonly string[]) =>
  (options: T, context: z.RefinementCtx): void => {
    const message = findTotalProblem(listSources(options));
    if (message) context.addIssue({ code: 'custom', message, path: [name] });
  };

/** Returns a problem of all patterns together, or undefined. */
export function findTotalProblem(sources: readonly string[]): string | undefined {
  const sizes = sources.map((source) => (findProblem(source) === undefined ? compile(source).programSize() : 0));
  return sizes.reduce((sum, size) => sum + size, 0) > MAX_TOTAL_SIZE
    ? 'the patterns together are too large with their repetitions expanded'
    : undefined;
}

function findProblem(source: string): string | undefined {
  try {
    const compiled = compile(source);
    if (compiled.programSize() > MAX_PROGRAM_SIZE) return 'the pattern is too large with its repetitions expanded';
    if (compiled.test('')) return 'the pattern matches the empty text, and therefore everything';
    return undefined;
  } catch (error) {
    return `not a valid RE2 pattern: ${error instanceof Error ? error.message : String(error)}`;
  }
}
