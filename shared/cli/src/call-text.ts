// Formats the verdict of one processor for `millrace call processor`. Pure.
import type { EntryOutcome, TryAnswer } from '@millrace/contracts';
import { makePrintable } from './printable.ts';

export function formatTry({ action, stage, texts, reason, code, outcomes, usage, violations }: TryAnswer): string {
  const lines = [
    `verdict: ${action} at ${stage}`,
    ...(reason === undefined ? [] : [`reason: ${reason}${code === undefined ? '' : ` (${code})`}`]),
    ...(action === 'changed' ? texts.map((text) => `text: ${text}`) : []),
    ...violations.map(({ rule, count }) => `violation: ${rule} × ${count}`),
    ...outcomes.flatMap(formatOutcome),
    ...usage.map(
      ({ modelCalls, inputTokens, outputTokens }) =>
        `model: ${modelCalls} calls, ${inputTokens} input tokens, ${outputTokens} output tokens`,
    ),
  ];
  return makePrintable(lines.join('\n'));
}

function formatOutcome({ verdict, ms, attempts, replica, skipped, error, violations = [] }: EntryOutcome): string[] {
  const where = replica === undefined ? '' : ` on replica ${replica}`;
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  return [
    `call: ${verdict}${skipped ? ' (skipped)' : ''} after ${ms.toFixed(1)} ms${where}${tries}`,
    ...(error ? [`  ${error.code}: ${error.message}`] : []),
    ...violations.map(({ message }) => `  ${message}`),
  ];
}
