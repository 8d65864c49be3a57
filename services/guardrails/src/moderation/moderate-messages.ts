// The caller's messages before a model, one call for each: all that a model will read of a message, whatever its role.
import type { Message } from '@millrace/contracts';
import { stringsOf, type ProcessInputArgs } from '@millrace/processor';
import { mapMessage } from '../guard/message-values.ts';
import { refuseUnjudged } from '../guard/report.ts';
import { exceededByModel } from '../model/model-bounds.ts';
import { flagsOf, isFlagged, report, type ModelModeration } from './model-verdicts.ts';

export async function moderateInput(guard: ModelModeration, args: ProcessInputArgs): Promise<void> {
  const messages = args.messageList.get.input.db();
  const texts = messages.map(textOf);
  const exceeded = exceededByModel(texts.filter((text) => text.trim() !== ''));
  if (exceeded) refuseUnjudged(args, guard.response, exceeded);
  const flags = await flagsOf(guard, args, texts);
  report(guard, args, 'message', flags);
  if (guard.strategy !== 'filter') return;
  const ids = messages.flatMap(({ id }, at) => (isFlagged(flags[at]) ? [id] : []));
  if (ids.length > 0) args.messageList.removeByIds(ids);
}

function textOf(message: Message): string {
  const texts: string[] = [];
  mapMessage(message, (value) => {
    texts.push(...stringsOf(value));
    return value;
  });
  return texts.join('\n');
}
