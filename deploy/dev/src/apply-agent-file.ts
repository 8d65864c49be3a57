// Applies an agent's file once all of its processors and tools are running: retries while services are starting. Its
// success means that the stack is usable.
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseAgentFile, withPlaces, type Client } from '@millrace/client';
import { MillraceError } from '@millrace/contracts';
import type { StackEnvironment } from './backing-servers.ts';

const WAIT_MS = 60_000;
const POLL_INTERVAL_MS = 100;

/** Errors that disappear while services start. */
const passing: ReadonlySet<string> = new Set(['nobody-there', 'timeout', 'processor-unknown', 'tool-unknown']);

export type ApplyFileOptions = {
  client: Client;
  agentFile: string;
  /** `${NAME}` and `${NAME:-default}` in the file are replaced by these values. */
  env: StackEnvironment;
  signal: AbortSignal;
};

/** @throws MillraceError with the remaining problem after a minute, or at once if waiting cannot help */
export async function applyAgentFile({ client, agentFile, env, signal }: ApplyFileOptions): Promise<void> {
  const file = parseAgentFile(agentFile, await readFile(agentFile, 'utf8'), env);
  const deadline = performance.now() + WAIT_MS;
  for (;;) {
    signal.throwIfAborted();
    try {
      await client.agents.apply(file.definition);
      return;
    } catch (error) {
      if (!MillraceError.isInstance(error)) throw error;
      if (!isPassing(error) || performance.now() >= deadline)
        throw error.code === 'agent-invalid' ? withPlaces(error, file) : error;
      await pause(POLL_INTERVAL_MS, undefined, { signal });
    }
  }
}

function isPassing({ code, issues = [] }: MillraceError): boolean {
  return issues.length > 0 ? issues.every((issue) => passing.has(issue.code)) : passing.has(code);
}
