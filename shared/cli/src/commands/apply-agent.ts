// Implements `agents apply --wait`: retries while services are starting, and fails at once for errors of the file.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, type ApiAnswer, type ErrorCode } from '@millrace/contracts';
import { withPlaces, type AgentFile } from '@millrace/client';
import { withClient } from '../command/cli-command.ts';
import { note, type CliIo } from '../command/cli-io.ts';

const RETRY_MS = 500;
/** Errors that disappear once all services are running. */
const passing: readonly ErrorCode[] = ['processor-unknown', 'tool-unknown', 'nobody-there', 'bus-unreachable'];

export type ApplyOptions = { tenant?: string | undefined; url?: string | undefined; dryRun: boolean; waitMs: number };

/** @throws agent-invalid with the positions in the file; the error that prevents the request */
export async function applyAgent(
  io: CliIo,
  file: AgentFile,
  options: ApplyOptions,
): Promise<ApiAnswer<'agents-apply'>> {
  const giveUpAt = performance.now() + options.waitMs;
  let reported = '';
  for (;;) {
    try {
      return await withClient(io, options, (client) =>
        client.agents.apply(file.definition, { dryRun: options.dryRun }),
      );
    } catch (error) {
      if (!MillraceError.isInstance(error)) throw error;
      if (!mayPass(error) || performance.now() + RETRY_MS > giveUpAt)
        throw error.code === 'agent-invalid' ? withPlaces(error, file) : error;
      const waitingFor = describeMissing(error);
      if (waitingFor !== reported) note(io, `[wait] ${waitingFor}`);
      reported = waitingFor;
      await delay(RETRY_MS);
    }
  }
}

/** Returns true if every problem is a service that is not running yet. */
export function mayPass({ code, issues = [] }: MillraceError): boolean {
  const codes = issues.length > 0 ? issues.map((issue) => issue.code) : [code];
  return codes.every((one) => passing.includes(one));
}

const describeMissing = ({ message, issues = [] }: MillraceError): string =>
  issues.length > 0 ? issues.map((issue) => issue.message).join(' ') : message;
