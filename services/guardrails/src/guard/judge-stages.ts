// The stages in which a text guard judges whole messages: the caller's, and at the end the answer with what led to it.
import type { ProcessInputArgs, ProcessOutputResultArgs } from '@millrace/processor';
import { judgeMessages, replaces, type TextGuard } from './text-guard.ts';

/** All that the caller sent, whatever its role: what a caller calls history is not history. */
export async function judgeInput(guard: TextGuard, args: ProcessInputArgs): Promise<void> {
  const { messageList } = args;
  const given = messageList.get.input.db();
  const judged = await judgeMessages(guard, args, given);
  const changed = judged.filter((message, at) => message !== given[at]);
  if (changed.length === 0) return;
  if (guard.strategy === 'filter') messageList.removeByIds(changed.map(({ id }) => id));
  else for (const message of changed) messageList.replace(message);
}

/**
 * The answer; and, where texts are replaced, the run's input, so that what is stored is what was let through.
 * @param phase output: the answer alone
 */
export async function judgeResult(
  guard: TextGuard,
  args: ProcessOutputResultArgs,
  phase: 'all' | 'output' = 'all',
): Promise<void> {
  const { response, input } = args.messageList.get;
  const given = [...response.db(), ...(replaces(guard) && phase === 'all' ? input.db() : [])];
  const judged = await judgeMessages(guard, args, given);
  for (const [at, message] of judged.entries()) {
    if (message !== given[at]) args.messageList.replace(message);
  }
}
