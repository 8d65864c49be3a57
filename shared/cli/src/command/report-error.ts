// Formats an error: message, code, path and remedy, and each of its problems in the same way.
import { MillraceError, type Issue, type WireError } from '@millrace/contracts';
import type { Env } from '@millrace/bus';
import type { CliIo } from './cli-io.ts';
import { formatCommandLine } from './command-name.ts';
import { note } from './cli-io.ts';
import { makePrintable } from './printable.ts';
import { UsageError } from './usage-error.ts';

export function reportError(io: CliIo, error: unknown): void {
  note(io, makePrintable(formatError(error, io.env)));
}

export function formatError(error: unknown, env: Env = {}): string {
  if (MillraceError.isInstance(error)) return formatCodedError(error);
  if (error instanceof UsageError)
    return `error: ${error.message}\n  Try: ${formatCommandLine(env, `${error.command?.replace(/^millrace ?/, '') ?? ''} --help`.trim())}`;
  return `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

/** Maximum number of problems that are printed in full; the rest is counted by code. */
const MAX_SHOWN = 20;

export function formatCodedError({ code, message, path, remedy, issues = [] }: MillraceError | WireError): string {
  const lines = [`error: ${message} (${code})`, ...formatDetails({ path, remedy }, '  ')];
  const isShownElsewhere = (issue: Issue): boolean =>
    message.includes(issue.message) && (issue.remedy === undefined || (issue.remedy === remedy && issue.path === path));
  const unsaid = issues.filter((issue) => !isShownElsewhere(issue));
  for (const issue of unsaid.slice(0, MAX_SHOWN))
    lines.push(`  ${issue.message} (${issue.code})`, ...formatDetails(issue, '    '));
  const rest = unsaid.slice(MAX_SHOWN);
  if (rest.length > 0) lines.push(`  and ${rest.length} more problems (${formatCounts(rest)})`);
  return lines.join('\n');
}

function formatCounts(issues: readonly Issue[]): string {
  const byCode = new Map<string, number>();
  for (const { code } of issues) byCode.set(code, (byCode.get(code) ?? 0) + 1);
  return [...byCode].map(([code, count]) => `${count} ${code}`).join(', ');
}

function formatDetails({ path, remedy }: { path?: Issue['path']; remedy?: Issue['remedy'] }, indent: string): string[] {
  return [...(path ? [`${indent}at: ${path}`] : []), ...(remedy ? [`${indent}remedy: ${remedy}`] : [])];
}
