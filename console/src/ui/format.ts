// Formats numbers and times. Pure.

const MS_PER_SECOND = 1_000;
const SECONDS_PER_MINUTE = 60;
const MINUTES_PER_HOUR = 60;
const HOURS_PER_DAY = 24;

export function formatMs(ms: number): string {
  if (ms < 1) return `${ms.toFixed(1)} ms`;
  if (ms < MS_PER_SECOND) return `${Math.round(ms)} ms`;
  const seconds = ms / MS_PER_SECOND;
  if (seconds < SECONDS_PER_MINUTE) return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
  return formatSpan(ms);
}

/** In the largest unit of which there is at least one. */
export function formatSpan(ms: number): string {
  const seconds = Math.floor(Math.abs(ms) / MS_PER_SECOND);
  if (seconds < SECONDS_PER_MINUTE) return `${seconds} s`;
  const minutes = Math.floor(seconds / SECONDS_PER_MINUTE);
  if (minutes < MINUTES_PER_HOUR) return `${minutes} min`;
  const hours = Math.floor(minutes / MINUTES_PER_HOUR);
  return hours < HOURS_PER_DAY * 2 ? `${hours} h` : `${Math.floor(hours / HOURS_PER_DAY)} d`;
}

export function formatAgo(at: number, now: number): string {
  if (Math.abs(now - at) < 5 * MS_PER_SECOND) return 'just now';
  return at > now ? `in ${formatSpan(at - now)}` : `${formatSpan(now - at)} ago`;
}

export const formatTime = (at: string): string =>
  new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(at));

export const formatCount = (count: number): string => new Intl.NumberFormat('en').format(count);

export const formatPlural = (count: number, one: string, many = `${one}s`): string =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

/** `processInputStep` → `Input step`. */
export function describeStage(stage: string): string {
  return STAGE_NAMES[stage] ?? stage;
}

const STAGE_NAMES: Readonly<Record<string, string>> = {
  processInput: 'Input',
  processInputStep: 'Step input',
  processLLMRequest: 'Model request',
  processAPIError: 'Model error',
  processOutputStream: 'Answer stream',
  processLLMResponse: 'Model response',
  processOutputStep: 'Step output',
  processToolCall: 'Tool call',
  processToolResult: 'Tool result',
  processOutputResult: 'Result',
};

export const formatJson = (value: unknown): string =>
  typeof value === 'string' ? value : (JSON.stringify(value, null, 2) ?? '');
