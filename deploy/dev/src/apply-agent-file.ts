// Applies an agent's file as soon as everything that it names is there: asked again while the only trouble is that somebody is
// still starting. Its success is the sign that the stack can be used.
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@millrace/client';
import { MillraceError, type JsonValue } from '@millrace/contracts';
import { parse } from 'yaml';
import type { Environment } from './backing-servers.ts';

const waitMs = 60_000;
const pollIntervalMs = 100;

/** What goes away by itself while services start. */
const passing: ReadonlySet<string> = new Set(['nobody-there', 'timeout', 'processor-unknown', 'tool-unknown']);

export type ApplyOptions = {
  readonly client: Client;
  readonly agentFile: string;
  readonly env: Environment;
  readonly signal: AbortSignal;
};

/** @throws MillraceError what still stood in the way after a minute, or at once what waiting does not mend */
export async function applyAgentFile({ client, agentFile, env, signal }: ApplyOptions): Promise<void> {
  const definition: JsonValue = parse(withVariables(await readFile(agentFile, 'utf8'), env));
  const deadline = performance.now() + waitMs;
  for (;;) {
    signal.throwIfAborted();
    try {
      await client.agents.apply(definition);
      return;
    } catch (error) {
      if (!isPassing(error) || performance.now() >= deadline) throw error;
      await pause(pollIntervalMs, undefined, { signal });
    }
  }
}

/** `${NAME}` and `${NAME:-default}`, as in a compose file. */
const withVariables = (text: string, env: Environment): string =>
  text.replaceAll(/\$\{(\w+)(?::-([^}]*))?\}/g, (_, name: string, fallback = '') => env[name] || fallback);

function isPassing(error: unknown): boolean {
  if (!MillraceError.isInstance(error)) return false;
  return passing.has(error.code) || (error.issues?.every(({ code }) => passing.has(code)) ?? false);
}
