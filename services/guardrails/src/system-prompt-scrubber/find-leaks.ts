// What an answer gives away of the system messages: stretches of them, and what the operator's own patterns find.
import { readingEscapes } from '../guard/unescaped-rule.ts';
import type { Hit } from '../guard/report.ts';
import { findInOrder } from '../guard/rules-in-order.ts';
import type { StreamRule } from '../guard/text-guard.ts';
import { findPatterns, settledByPatterns } from '../patterns/pattern-filter.ts';
import { compilePattern } from '../text/linear-pattern.ts';
import type { Span } from '../text/span.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { newReading, readStretches, settledByStretches, type Reading } from './find-stretches.ts';
import { createPromptIndex } from './prompt-index.ts';

export const MARK = '[REDACTED]';

export type LeakOptions = {
  system: readonly string[];
  minWords: number;
  patterns: readonly string[];
  /** Whether patterns are looked for in what the stretches have left. */
  redacts: boolean;
};

export const prepareLeaks: PrepareJudge<LeakOptions, Hit[][]> = (options) =>
  findInOrder(leakRules(options), options.redacts ? MARK : undefined);

export function leakRules({ system, minWords, patterns }: LeakOptions): StreamRule[] {
  const index = createPromptIndex(system);
  const compiled = patterns.map(compilePattern);
  const stretches: StreamRule = {
    heldIn: 'held',
    placesIn: 'places',
    find(text) {
      const spans: Span[] = [];
      readStretches({ index, minWords, found: (span) => void spans.push(span) }, text, newReading(), true);
      return spans.map((span) => ({ ...span, rule: 'system-prompt' }));
    },
    settled(text, noted) {
      const reading = readingIn(noted['reading']);
      noted['reading'] = reading;
      return settledByStretches({ index, minWords, found: () => undefined }, text, reading);
    },
  };
  const configured: StreamRule = {
    heldIn: 'heldForPatterns',
    placesIn: 'placesForPatterns',
    find: (text) =>
      findPatterns(compiled, text).map(({ start, end, pattern }) => ({
        start,
        end,
        rule: 'pattern',
        detail: { pattern: pattern.source },
      })),
    settled: (text) => settledByPatterns(compiled, text),
  };
  return compiled.length > 0 ? [stretches, readingEscapes(configured)] : [stretches];
}

function readingIn(noted: unknown): Reading {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `settled` alone, under this very key
  return (noted as Reading | undefined) ?? newReading();
}
