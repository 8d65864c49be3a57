// Formats the events of a run as table rows: verdicts, times and errors of each stage. Pure.
import type { PublicRunEvent, PublicViolation, RunEvent, Violation } from '@millrace/contracts';
import { formatTable } from '../command/printable.ts';

type EventRow = readonly [stage: string, entry: string, verdict: string, ms: string, replica: string, note: string];

type AnyEvent = RunEvent | PublicRunEvent;
type StageEvent = Extract<AnyEvent, { event: 'stage' }>;

export function formatEvents(events: readonly AnyEvent[]): string {
  const rows = events.flatMap((event) => toRows(event).map((row) => [String(event.step), ...row]));
  return formatTable(['STEP', 'STAGE', 'ENTRY', 'VERDICT', 'MS', 'REPLICA', 'NOTE'], rows);
}

function toRows(event: AnyEvent): EventRow[] {
  switch (event.event) {
    case 'stage':
      return listStageRows(event);
    case 'model': {
      const { model, finishReason, ms, call, error } = event;
      const failure = error && `${error.message} (${error.code})`;
      return [
        [
          'model',
          model,
          error ? 'error' : finishReason,
          formatTime(ms),
          '',
          joinNotes(`call ${call}`, formatTokens(event), failure),
        ],
      ];
    }
    case 'tool': {
      const { tool, ms, isError, denied, toolCallId } = event;
      return [['tool', tool, denied ? 'denied' : isError ? 'error' : 'ok', formatTime(ms), '', toolCallId]];
    }
    case 'untrusted-call': {
      const { tool, toolCallId, decision, origins } = event;
      return [['tool', tool, decision, '', '', joinNotes(toolCallId, `untrusted content: ${origins.join(', ')}`)]];
    }
    case 'edited-call':
      return [
        [
          'tool',
          event.tool,
          'edited',
          '',
          '',
          joinNotes(event.toolCallId, `approved with other arguments for ${event.by}`),
        ],
      ];
    case 'save': {
      const { memories, outcome, error } = event;
      return [['save', memories.join(', '), outcome, '', '', error ? `${error.message} (${error.code})` : '']];
    }
    case 'budget':
      return [['budget', event.scope, 'warning', '', '', `over 80 % of its ${event.window} is spent`]];
    case 'run':
      return [
        [
          'run',
          '',
          event.status,
          '',
          '',
          'detail' in event && event.detail !== undefined ? JSON.stringify(event.detail) : '',
        ],
      ];
  }
}

/** Returns a row for each entry with its own time. If a stage has several entries, its own row has the total time. */
function listStageRows({ stage, entries, ms, subject }: StageEvent): EventRow[] {
  const rows = entries.map((entry) => buildEntryRow(stage, entry, subject));
  const [only] = entries;
  if (entries.length === 1 && only) return [buildEntryRow(stage, only, subject, `${formatTime(ms)} in all`)];
  return [[stage, '', '', formatTime(ms), '', joinNotes(subject, 'in all')], ...rows];
}

function buildEntryRow(stage: string, entry: StageEvent['entries'][number], ...more: (string | undefined)[]): EventRow {
  const { verdict, ms, replica = '', attempts, skipped, error, violations = [], processor } = entry;
  const reason = 'reason' in entry ? entry.reason : undefined;
  const note = joinNotes(
    processor === entry.entry ? undefined : processor,
    reason,
    error && `${error.message} (${error.code})`,
    attempts > 1 ? `${attempts} attempts` : undefined,
    ...violations.map(formatFinding),
    ...more,
  );
  return [stage, entry.entry, skipped ? `${verdict}, skipped` : verdict, formatTime(ms), replica, note];
}

function formatFinding(violation: Violation | PublicViolation): string {
  if (!('message' in violation))
    return violation.rule === undefined ? `${violation.count}×` : `${violation.rule} ${violation.count}×`;
  const { message, strategy } = violation;
  return strategy === undefined ? message : `${message} (${strategy})`;
}

function formatTokens({ usage, fromCache }: Extract<RunEvent, { event: 'model' }>): string | undefined {
  if (fromCache) return 'from cache';
  return usage?.totalTokens === undefined ? undefined : `${usage.estimated ? 'about ' : ''}${usage.totalTokens} tokens`;
}

const formatTime = (ms: number): string => ms.toFixed(1);
const joinNotes = (...all: (string | undefined)[]): string =>
  all.filter((one) => one !== undefined && one !== '').join('; ');
