// The verdicts of a step's output chain as they add up: those of entries that were absent from the start, and those of the sessions, which
// start over when the sessions are opened again. Pure.
import type { StageInput } from '@millrace/contracts';
import { createFold, foldReported, foldVerdict, type JudgedEntry, type StageFold } from '../calls/verdict-fold.ts';

export type StepVerdicts = {
  fold: StageFold;
  /** Of entries that no replica served at the start: they have no part in the output, and no second session waits for them. */
  absent: StageFold;
  /** Entries that are skipped although the output may bear their mark. */
  skipped: readonly JudgedEntry[];
};

export const openVerdicts = (input: StageInput): StepVerdicts => {
  const fold = createFold(input);
  return { fold, absent: fold, skipped: [] };
};

/** The sessions are opened again: only the verdicts of absent entries still count. */
export const restartVerdicts = ({ absent }: StepVerdicts): StepVerdicts => ({ fold: absent, absent, skipped: [] });

/** Verdicts of the first opening: its failures are those of absent entries. */
export const addAbsent = (verdicts: StepVerdicts, failed: readonly JudgedEntry[]): StepVerdicts => ({
  ...verdicts,
  absent: failed.reduce(foldVerdict, verdicts.absent),
  skipped: [],
});

export function acceptVerdict(verdicts: StepVerdicts, judged: JudgedEntry): StepVerdicts {
  const fold = foldVerdict(verdicts.fold, judged);
  const isSkipped = !fold.stopped && judged.verdict.type === 'failure';
  return { ...verdicts, fold, skipped: isSkipped ? [...verdicts.skipped, judged] : verdicts.skipped };
}

/** State and findings of entries behind the one that stopped the stream. */
export const acceptReported = (verdicts: StepVerdicts, reported: readonly JudgedEntry[]): StepVerdicts => ({
  ...verdicts,
  fold: reported.reduce(foldReported, verdicts.fold),
});

export const mustNotFail = (judged: JudgedEntry): JudgedEntry => ({
  ...judged,
  entry: { ...judged.entry, onFailure: 'fail' },
});
