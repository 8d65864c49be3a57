// Formats one event of a run as one line, for the trace of `chat` and `tap`. Pure.
import type { PublicRunEvent, RunEvent } from '@millrace/contracts';
import { toOneLine } from '../command/printable.ts';

type TracedEvent = RunEvent | PublicRunEvent;
type TracedStageEvent = Extract<TracedEvent, { event: 'stage' }>;

const MAX_LINE_CHARS = 400;

export const formatTrace = (event: TracedEvent): string =>
  toOneLine(`[${event.event === 'stage' ? event.stage : event.event}] ${describe(event)}`, MAX_LINE_CHARS);

function describe(event: TracedEvent): string {
  switch (event.event) {
    case 'stage':
      return event.entries.map(describeEntry).join(' · ');
    case 'model':
      return `${event.model} ${event.error ? event.error.message : event.finishReason} ${formatTime(event.ms)}`;
    case 'tool':
      return `${event.tool} ${event.denied ? 'denied' : event.isError ? 'failed' : 'returned'} ${formatTime(event.ms)}`;
    case 'untrusted-call':
      return `${event.tool}: ${event.decision}, after untrusted content of ${event.origins.join(', ')}`;
    case 'edited-call':
      return `${event.tool}: approved with other arguments`;
    case 'save':
      return `${event.memories.join(', ')}: ${event.outcome}`;
    case 'budget':
      return `${event.scope}: over 80 % of its ${event.window} is spent`;
    case 'run':
      return event.status;
  }
}

function describeEntry({
  entry,
  verdict,
  ms,
  skipped,
  error,
  violations = [],
}: TracedStageEvent['entries'][number]): string {
  const found = violations.map(({ rule = 'finding', count = 1 }) => `${rule} × ${count}`);
  const notes = [...found, ...(error ? [error.message] : []), ...(skipped ? ['skipped'] : [])];
  return `${entry} ${verdict} ${formatTime(ms)}${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`;
}

const formatTime = (ms: number): string => `${ms.toFixed(1)} ms`;
