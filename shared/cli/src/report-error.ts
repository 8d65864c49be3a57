// How an error is said: what, with its code, where, and what to do instead; each problem of several in the same way.
import { MillraceError, type Issue, type WireError } from '@millrace/contracts';
import type { CliIo } from './cli-io.ts';
import { note } from './cli-io.ts';
import { printable } from './printable.ts';
import { UsageError } from './usage-error.ts';

export function reportError(io: CliIo, error: unknown): void {
  note(io, printable(errorText(error)));
}

export function errorText(error: unknown): string {
  if (MillraceError.isInstance(error)) return codedText(error);
  if (error instanceof UsageError) return `error: ${error.message}\n  Try: ${error.command ?? 'millrace'} --help`;
  return `error: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`;
}

export function codedText({ code, message, path, remedy, issues = [] }: MillraceError | WireError): string {
  const lines = [`error: ${message} (${code})`, ...details({ path, remedy }, '  ')];
  for (const issue of issues) lines.push(`  ${issue.message} (${issue.code})`, ...details(issue, '    '));
  return lines.join('\n');
}

function details({ path, remedy }: { path?: Issue['path']; remedy?: Issue['remedy'] }, indent: string): string[] {
  return [...(path ? [`${indent}at: ${path}`] : []), ...(remedy ? [`${indent}remedy: ${remedy}`] : [])];
}
