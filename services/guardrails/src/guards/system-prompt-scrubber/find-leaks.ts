// Finds leaked parts of the system messages in an answer, and matches of the operator's patterns.
import { addUnescapedView } from '../../guard/unescaped-view.ts';
import type { GuardHit } from '../../guard/report.ts';
import { findInOrder } from '../../guard/find-in-order.ts';
import type { StreamRule } from '../../guard/text-guard.ts';
import { findPatterns, findSettledPatternEnd } from '../../patterns/pattern-filter.ts';
import { compilePattern } from '../../text/linear-pattern.ts';
import type { TextSpan } from '../../text/span.ts';
import { defineTask, type PrepareJudge } from '../../work/define-task.ts';
import { createReading, readStretches, findSettledStretchEnd, type StretchReading } from './find-stretches.ts';
import { createPromptIndex } from './prompt-index.ts';

export const MARK = '[REDACTED]';

export type LeakOptions = {
  system: readonly string[];
  minWords: number;
  patterns: readonly string[];
  /** Whether patterns search the text after the leaked parts were redacted. */
  redacts: boolean;
};

const prepareLeaks: PrepareJudge<LeakOptions, GuardHit[][]> = (options) =>
  findInOrder(createLeakRules(options), options.redacts ? MARK : undefined);

export const leakTask = defineTask(import.meta.url, prepareLeaks);

export function createLeakRules({ system, minWords, patterns }: LeakOptions): StreamRule[] {
  const index = createPromptIndex(system);
  const compiled = patterns.map(compilePattern);
  const stretches: StreamRule = {
    heldIn: 'held',
    placesIn: 'places',
    find(text) {
      const spans: TextSpan[] = [];
      readStretches({ index, minWords, report: (span) => void spans.push(span) }, text, createReading(), true);
      return spans.map((span) => ({ ...span, rule: 'system-prompt' }));
    },
    findSettledEnd(text, noted) {
      const reading = readReading(noted['reading']);
      noted['reading'] = reading;
      return findSettledStretchEnd({ index, minWords, report: () => undefined }, text, reading);
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
    findSettledEnd: (text) => findSettledPatternEnd(compiled, text),
  };
  return compiled.length > 0 ? [stretches, addUnescapedView(configured)] : [stretches];
}

function readReading(noted: unknown): StretchReading {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by `settled` alone, under this very key
  return (noted as StretchReading | undefined) ?? createReading();
}
