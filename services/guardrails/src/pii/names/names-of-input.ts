// Names and addresses in the caller's messages, in what the rules have left: one call for each message that may hold one.
import type { Message } from '@millrace/contracts';
import { mapStrings, stringsOf, type ProcessInputArgs } from '@millrace/processor';
import { mapMessage } from '../../guard/message-values.ts';
import { createReport, refuseUnjudged } from '../../guard/report.ts';
import { exceededByModel } from '../../model/model-bounds.ts';
import { finderOf, isAsked, masked, type NameGuard } from './name-guard.ts';

/** Throws (abort, halt) with strategy block. */
export async function judgeNamesOfInput(names: NameGuard, args: ProcessInputArgs): Promise<void> {
  const { guard, judge } = names;
  const told = args.messageList.get.input.db().map((message) => ({ message, text: textOf(message) }));
  const asked = told.filter(({ text }) => isAsked(names, text));
  const exceeded = exceededByModel(asked.map(({ text }) => text));
  if (exceeded) refuseUnjudged(args, guard.response, exceeded);
  const answers = await judge.askEach(
    asked.map(({ text }) => text),
    args.abortSignal,
  );
  const report = createReport(guard, args);
  const judged = asked.map(({ message }, at) => {
    const find = finderOf(names, args, answers[at]);
    return mapMessage(message, (value) =>
      mapStrings(value, (text) => {
        const hits = find(text);
        report.add(hits, text, { messageId: message.id });
        return masked(names, args, text, hits);
      }),
    );
  });
  report.send();
  for (const [at, message] of judged.entries()) {
    if (message === asked[at]?.message) continue;
    if (guard.strategy === 'filter') args.messageList.removeByIds([message.id]);
    else args.messageList.replace(message);
  }
}

function textOf(message: Message): string {
  const texts: string[] = [];
  mapMessage(message, (value) => {
    texts.push(...stringsOf(value));
    return value;
  });
  return texts.join('\n');
}
