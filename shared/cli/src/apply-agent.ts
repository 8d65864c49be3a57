// `agents apply` with --wait: services that are just starting are waited for, mistakes of the file are not.
import { setTimeout as delay } from 'node:timers/promises';
import { MillraceError, type ApiAnswer, type ErrorCode } from '@millrace/contracts';
import { withPlaces, type AgentFile } from '@millrace/client';
import { withClient } from './cli-command.ts';
import { note, type CliIo } from './cli-io.ts';

const RETRY_MS = 500;
/** Refusals that end by themselves when everything is up. */
const passing: readonly ErrorCode[] = ['processor-unknown', 'tool-unknown', 'nobody-there', 'bus-unreachable'];

export type ApplyOptions = { tenant?: string | undefined; url?: string | undefined; dryRun: boolean; waitMs: number };

/** @throws agent-invalid with the places in the file; what keeps the question from being answered */
export async function applyAgent(
  io: CliIo,
  file: AgentFile,
  options: ApplyOptions,
): Promise<ApiAnswer<'agents-apply'>> {
  const giveUpAt = performance.now() + options.waitMs;
  let said = '';
  for (;;) {
    try {
      return await withClient(io, options, (client) =>
        client.agents.apply(file.definition, { dryRun: options.dryRun }),
      );
    } catch (error) {
      if (!MillraceError.isInstance(error)) throw error;
      if (!mayPass(error) || performance.now() + RETRY_MS > giveUpAt)
        throw error.code === 'agent-invalid' ? withPlaces(error, file) : error;
      const waitingFor = missing(error);
      if (waitingFor !== said) note(io, `[wait] ${waitingFor}`);
      said = waitingFor;
      await delay(RETRY_MS);
    }
  }
}

/** Nothing is wrong but that somebody is not there yet. */
export function mayPass({ code, issues = [] }: MillraceError): boolean {
  const codes = issues.length > 0 ? issues.map((issue) => issue.code) : [code];
  return codes.every((one) => passing.includes(one));
}

const missing = ({ message, issues = [] }: MillraceError): string =>
  issues.length > 0 ? issues.map((issue) => issue.message).join(' ') : message;
