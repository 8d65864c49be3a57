// How a guard stops a run, the same for all of them: with the configured answer where there is one, else with a tripwire.
import type { JsonValue } from '@millrace/contracts';
import type { CommonArgs } from '@millrace/processor';

/** Never returns: halts where `response` is set, else aborts. @param metadata what was found, never the text itself */
export function refuse(
  args: Pick<CommonArgs, 'abort' | 'halt'>,
  response: string | undefined,
  reason: string,
  metadata: JsonValue,
): never {
  if (response !== undefined) return args.halt(response, reason);
  return args.abort(reason, { metadata });
}
