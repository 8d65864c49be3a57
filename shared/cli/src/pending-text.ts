// What a suspended run waits for, and the command that answers it: for people. Pure.
import type { ShownPending } from '@millrace/contracts';
import { oneLine } from './printable.ts';

/** What is asked, and how it is answered: a line each. */
export function pendingText(runId: string, { kind, by, payload, toolCall, resumeToken }: ShownPending): string[] {
  const call = toolCall ? ` ${oneLine(toolCall.toolName)} ${json(toolCall.args)}` : '';
  const asked = payload === undefined ? '' : `: ${json(payload)}`;
  const command =
    kind === 'question' && resumeToken !== undefined
      ? `millrace runs answer ${runId} ${oneLine(resumeToken)} TEXT`
      : `millrace runs approve ${runId}, or deny: for operators`;
  return [`[${kind}] ${oneLine(by)}${call}${asked}`, `  ${command}`];
}

const json = (value: unknown): string => oneLine(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
