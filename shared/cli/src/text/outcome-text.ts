// Formats the outcome of a run, both for `run` and for `runs show`. Pure.
import type { PublicViolation, RunResult, ShownPending } from '@millrace/contracts';
import type { Env } from '@millrace/bus';
import { formatCommandLine } from '../command/command-name.ts';
import { toOneLine } from '../command/printable.ts';

/** Returns `aborted (blocked by pii): no card numbers`, or the plain status. */
export function formatStatus({ status, tripwire }: Pick<RunResult, 'status' | 'tripwire'>): string {
  if (status !== 'aborted') return status;
  const by = tripwire?.processorId === undefined ? 'a processor' : toOneLine(tripwire.processorId);
  return `aborted (blocked by ${by}): ${toOneLine(tripwire?.reason ?? 'no reason is given', 1_000)}`;
}

/** Callers see the rule and the count, never the matched text. */
export function formatViolation({ processorId, rule, count }: PublicViolation): string {
  const findings = count === 1 ? 'one finding' : `${count} findings`;
  return `[${toOneLine(processorId)}] ${findings}${rule === undefined ? '' : ` of ${toOneLine(rule)}`}`;
}

// Formats the pending items of a suspended run with the command that answers each. Pure.
/** Returns one line for the request and one for the command that answers it. */
export function formatPending(
  runId: string,
  { kind, by, payload, toolCall, resumeToken }: ShownPending,
  env: Env,
): string[] {
  const call = toolCall ? ` ${toOneLine(toolCall.toolName)} ${formatJson(toolCall.args)}` : '';
  const asked = payload === undefined ? '' : `: ${formatJson(payload)}`;
  const command =
    kind === 'question' && resumeToken !== undefined
      ? formatCommandLine(env, `runs answer ${runId} TEXT --token ${toOneLine(resumeToken)}`)
      : `${formatCommandLine(env, `runs approve ${runId}`)}, or deny: for operators`;
  return [`[${kind}] ${toOneLine(by)}${call}${asked}`, `  ${command}`];
}

const formatJson = (value: unknown): string =>
  toOneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
