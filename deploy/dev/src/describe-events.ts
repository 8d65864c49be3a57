// Formats a run's events: a line for each stage with entries, each model call and each tool, with milliseconds. Pure.
import type { EntryOutcome, RunEvent } from '@millrace/contracts';

const NAME_WIDTH = 21;
const MS_WIDTH = 8;

/** Stages without entries are omitted. */
export function describeEvents(events: readonly RunEvent[]): string[] {
  return events.flatMap((event) => {
    switch (event.event) {
      case 'stage': {
        if (event.entries.length === 0) return [];
        const of = event.subject === undefined ? '' : `${event.subject}: `;
        return [formatRow(event.stage, event.ms, of + event.entries.map(describeEntry).join(', '))];
      }
      case 'model': {
        const outcome = event.error?.message ?? (event.fromCache ? 'from the cache' : event.finishReason);
        return [formatRow('the model', event.ms, `${event.model}: ${outcome}`)];
      }
      case 'tool':
        return [
          formatRow('a tool', event.ms, `${event.tool}${event.denied ? ' (denied)' : event.isError ? ' (error)' : ''}`),
        ];
      case 'untrusted-call':
        return [formatRow('a tool', 0, `${event.tool} (${event.decision}: untrusted content)`)];
      case 'edited-call':
        return [formatRow('a tool', 0, `${event.tool} (approved with other arguments)`)];
      case 'save':
        return [formatRow('memory', 0, `${event.memories.join(', ')}: ${event.outcome}`)];
      case 'budget':
        return [formatRow('a budget', 0, `${event.scope}: over 80 % of its ${event.window} is spent`)];
      case 'run':
        return [];
    }
  });
}

const formatRow = (name: string, ms: number, text: string): string =>
  `${name.padEnd(NAME_WIDTH)}${format(ms).padStart(MS_WIDTH)} ms  ${text}`;

/** `pii 0.4`: the entry's own milliseconds; a verdict other than a plain "continue" is added. */
function describeEntry({ entry, ms, verdict, skipped, reason, error }: EntryOutcome): string {
  const own = `${entry} ${format(ms)}`;
  if (skipped) return `${own} (skipped: ${error?.message ?? reason ?? verdict})`;
  if (error) return `${own} (${error.message})`;
  return verdict === 'continue' ? own : `${own} (${verdict}${reason === undefined ? '' : `: ${reason}`})`;
}

const format = (ms: number): string => ms.toFixed(1);
