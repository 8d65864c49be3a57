// Builds the rows of a run's timeline from its events. Pure. An event has the time of its end and its duration; the
// entries of a stage have their own durations, and follow each other unless they overlap.
import type { AnyEvent } from '../api/runs.ts';
import { describeStage } from '../ui/format.ts';
import type { Tone } from '../ui/status.tsx';

export type EntryRow = {
  key: string;
  name: string;
  processor: string | undefined;
  verdict: string;
  tone: Tone;
  /** From the start of the run, ms. */
  startMs: number;
  ms: number;
  attempts: number;
  replica: string | undefined;
  reason: string | undefined;
  findings: string[];
  isSkipped: boolean;
  isObserved: boolean;
  tokens: number | undefined;
};
export type EventRow = {
  key: string;
  kind: 'stage' | 'model' | 'tool' | 'save' | 'run';
  title: string;
  detail: string | undefined;
  step: number;
  epoch: number;
  tone: Tone;
  verdict: string | undefined;
  startMs: number;
  ms: number;
  entries: EntryRow[];
};

type StageEvent = Extract<AnyEvent, { event: 'stage' }>;
type StageEntry = StageEvent['entries'][number];

const TONES: Readonly<Record<string, Tone>> = {
  continue: 'ok',
  abort: 'bad',
  deny: 'bad',
  failure: 'bad',
  halt: 'wait',
  suspend: 'wait',
  retry: 'wait',
  respond: 'ok',
};

export const describeVerdict = (verdict: string): string => VERDICTS[verdict] ?? verdict;
const VERDICTS: Readonly<Record<string, string>> = {
  continue: 'Passed',
  abort: 'Blocked',
  deny: 'Denied',
  failure: 'Failed',
  halt: 'Halted',
  suspend: 'Suspended',
  retry: 'Retry',
  respond: 'Answered',
  'sent-back': 'Sent back',
};

/** @param from start of the run, ms; default: the start of the earliest event */
export function buildRows(events: readonly AnyEvent[], from = findStart(events)): EventRow[] {
  const rows = events.map((event, at) => buildRow(event, `${event.epoch}.${at}`, from));
  const lastCall = rows.findLastIndex(({ kind }) => kind === 'stage' || kind === 'model');
  const isAborted = events.some((event) => event.event === 'run' && event.status === 'aborted');
  const blocking = isAborted ? rows.findLastIndex(hasAbort) : -1;
  return rows.map((row, at) => (hasAbort(row) && at !== blocking && at < lastCall ? markSentBack(row) : row));
}

const isAbort = ({ verdict, isObserved }: EntryRow): boolean => verdict === 'abort' && !isObserved;
const hasAbort = ({ entries }: EventRow): boolean => entries.some(isAbort);

/** An abort after which the run continued: the processor asked the model for another answer. */
function markSentBack(row: EventRow): EventRow {
  const sentBack = { verdict: 'sent-back', tone: 'wait' } as const;
  return {
    ...row,
    ...sentBack,
    entries: row.entries.map((entry) => (isAbort(entry) ? { ...entry, ...sentBack } : entry)),
  };
}

const findStart = (events: readonly AnyEvent[]): number =>
  Math.min(...events.map((event) => Date.parse(event.at) - readMs(event)));
const readMs = (event: AnyEvent): number => ('ms' in event ? event.ms : 0);

/** Total time that the rows cover, ms. */
export const measureSpan = (rows: readonly EventRow[]): number =>
  Math.max(1, ...rows.map(({ startMs, ms }) => startMs + ms));

function buildRow(event: AnyEvent, key: string, from: number): EventRow {
  const ms = readMs(event);
  const startMs = Math.max(0, Date.parse(event.at) - ms - from);
  const row = {
    key,
    step: event.step,
    epoch: event.epoch,
    startMs,
    ms,
    entries: [],
    detail: undefined,
    verdict: undefined,
  };
  switch (event.event) {
    case 'stage':
      return {
        ...row,
        kind: 'stage',
        title: describeStage(event.stage),
        detail: event.subject,
        ...judgeEntries(buildEntries(event, key, startMs)),
      };
    case 'model': {
      const { error, model, call, finishReason, fromCache } = event;
      const detail = [model, call > 1 ? `call ${call}` : '', fromCache ? 'from cache' : ''].filter(Boolean).join(' · ');
      return {
        ...row,
        kind: 'model',
        title: 'Model',
        detail,
        tone: error ? 'bad' : 'ok',
        verdict: error ? error.message : finishReason,
      };
    }
    case 'tool':
      return {
        ...row,
        kind: 'tool',
        title: 'Tool',
        detail: event.tool,
        tone: event.isError || event.denied ? 'bad' : 'ok',
        verdict: event.denied ? 'denied' : event.isError ? 'error' : undefined,
      };
    case 'untrusted-call': {
      const detail = `${event.tool}: ${event.origins.join(', ')} before it is untrusted`;
      return { ...row, kind: 'tool', title: 'Untrusted call', detail, tone: 'wait', verdict: event.decision };
    }
    case 'edited-call':
      return { ...row, kind: 'tool', title: 'Edited call', detail: event.tool, tone: 'ok', verdict: 'approved' };
    case 'save':
      return {
        ...row,
        kind: 'save',
        title: 'Memory',
        detail: event.memories.join(', '),
        tone: event.outcome === 'saved' ? 'ok' : 'wait',
        verdict: event.outcome,
      };
    case 'budget':
      return {
        ...row,
        kind: 'model',
        title: 'Budget',
        detail: event.scope,
        tone: 'wait',
        verdict: `over 80 % of its ${event.window} is spent`,
      };
    case 'run':
      return {
        ...row,
        kind: 'run',
        title: 'Run',
        detail: undefined,
        tone: event.status === 'finished' ? 'ok' : 'off',
        verdict: event.status,
      };
  }
}

/** A stage has the verdict of its worst entry. */
function judgeEntries(entries: EntryRow[]): Pick<EventRow, 'entries' | 'tone' | 'verdict'> {
  const worst = entries.find(({ tone }) => tone === 'bad') ?? entries.find(({ tone }) => tone === 'wait');
  return { entries, tone: worst?.tone ?? 'ok', verdict: worst?.verdict };
}

/** Entries of a group overlap: together they are longer than their stage, and all begin with it. */
function buildEntries({ entries, ms: stageMs }: StageEvent, key: string, stageStart: number): EntryRow[] {
  const isSequence = entries.reduce((sum, { ms }) => sum + ms, 0) <= stageMs * 1.05;
  let at = stageStart;
  return entries.map((entry, index) => {
    const startMs = isSequence ? at : stageStart;
    at += entry.ms;
    return buildEntry(entry, `${key}.${index}`, startMs);
  });
}

function buildEntry(entry: StageEntry, key: string, startMs: number): EntryRow {
  const {
    processor,
    verdict,
    ms,
    attempts,
    replica,
    skipped = false,
    observed = false,
    error,
    violations = [],
    usage,
  } = entry;
  const reason = ('reason' in entry ? entry.reason : undefined) ?? (error && `${error.message} (${error.code})`);
  const tokens = usage && (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0);
  return {
    key,
    name: entry.entry,
    processor: processor === entry.entry ? undefined : processor,
    verdict,
    tone: skipped ? 'wait' : (TONES[verdict] ?? 'off'),
    startMs,
    ms,
    attempts,
    replica,
    reason,
    findings: violations.map(describeFinding),
    isSkipped: skipped,
    isObserved: observed,
    tokens: tokens || undefined,
  };
}

function describeFinding(violation: NonNullable<StageEntry['violations']>[number]): string {
  const count = violation.count ?? 1;
  const text = 'message' in violation ? violation.message : (violation.rule ?? violation.processorId);
  return count > 1 ? `${text} × ${count}` : text;
}
