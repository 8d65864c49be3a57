// Stages in which a text guard judges whole messages: the caller's messages, and at the end the answer with the
// messages before it.
import type { ProcessInputArgs, ProcessOutputResultArgs } from '@millrace/processor';
import { judgeMessages, shouldReplace, type TextGuard } from './text-guard.ts';

/** Judges the caller's messages of every role, because a caller can send anything as history. */
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
 * Judges the answer. If the guard replaces texts, it also judges the run's input, so that the stored input is the
 * redacted one.
 * @param phase output: the answer alone
 */
export async function judgeResult(
  guard: TextGuard,
  args: ProcessOutputResultArgs,
  phase: 'all' | 'output' = 'all',
): Promise<void> {
  const { response, input } = args.messageList.get;
  const given = [...response.db(), ...(shouldReplace(guard) && phase === 'all' ? input.db() : [])];
  const judged = await judgeMessages(guard, args, given);
  for (const [at, message] of judged.entries()) {
    if (message !== given[at]) args.messageList.replace(message);
  }
}
