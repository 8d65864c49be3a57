// Finds names and addresses in the caller's messages after the rules have filtered them: one model call per message
// that may contain a name.
import { mapTexts, type ProcessInputArgs } from '@millrace/processor';
import { joinMessageTexts, mapMessage } from '../../../guard/message-values.ts';
import { createReport } from '../../../guard/report.ts';
import { createFinder, needsModel, maskNames, type NameGuard } from './name-guard.ts';

/** Throws (abort, halt) if the strategy is block. */
export async function judgeNamesOfInput(names: NameGuard, args: ProcessInputArgs): Promise<void> {
  const { guard, judge } = names;
  const candidates = args.messageList.get.input.db().map((message) => ({ message, text: joinMessageTexts(message) }));
  const judgedTexts = candidates.filter(({ text }) => needsModel(names, text));
  const answers = await judge.askEach(
    judgedTexts.map(({ text }) => text),
    args,
  );
  const report = createReport(guard, args);
  const judged = judgedTexts.map(({ message }, at) => {
    const find = createFinder(names, args, answers[at]);
    return mapMessage(message, (value) =>
      mapTexts(value, (text) => {
        const hits = find(text);
        report.add(hits, text, { messageId: message.id });
        return maskNames(names, args, text, hits);
      }),
    );
  });
  report.send();
  for (const [at, message] of judged.entries()) {
    if (message === judgedTexts[at]?.message) continue;
    if (guard.strategy === 'filter') args.messageList.removeByIds([message.id]);
    else args.messageList.replace(message);
  }
}
