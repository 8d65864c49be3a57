// Names the command as the reader has started it, so that hints can be pasted.
import type { Env } from '@millrace/bus';

/** Returns the command with its arguments: by npm in a checkout, by npx in another package, or from the PATH. */
export function formatCommandLine(env: Env, rest: string): string {
  if (env['npm_lifecycle_event'] === 'millrace') return `npm run -s millrace -- ${rest}`;
  if (env['npm_command'] === 'exec') return `npx --no-install millrace ${rest}`;
  return `millrace ${rest}`;
}
