// Applies an agent's file as soon as everything that it names is there: asked again while the only trouble is that somebody is
// still starting. Its success is the sign that the stack can be used.
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { parseAgentFile, withPlaces, type Client } from '@millrace/client';
import { MillraceError } from '@millrace/contracts';
import type { Environment } from './backing-servers.ts';

const WAIT_MS = 60_000;
const POLL_INTERVAL_MS = 100;

/** What goes away by itself while services start. */
const passing: ReadonlySet<string> = new Set(['nobody-there', 'timeout', 'processor-unknown', 'tool-unknown']);

export type ApplyOptions = {
  client: Client;
  agentFile: string;
  /** `${NAME}` and `${NAME:-default}` in the file stand for it. */
  env: Environment;
  signal: AbortSignal;
};

/** @throws MillraceError what still stood in the way after a minute, or at once what waiting does not change */
export async function applyAgentFile({ client, agentFile, env, signal }: ApplyOptions): Promise<void> {
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
