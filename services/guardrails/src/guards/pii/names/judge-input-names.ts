// Finds names and addresses in the caller's messages, and in its answers to questions of tools, after the rules have filtered them: one
// model call per message or answer that may contain a name.
import type { JsonValue } from '@millrace/contracts';
import { listTexts, mapTexts, type ProcessInputArgs, type ProcessToolResultArgs } from '@millrace/processor';
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

/** Returns the masked answer, or undefined if it has no names. Throws (abort, halt) if the strategy is block. */
export async function judgeNamesOfAnswer(
  names: NameGuard,
  args: ProcessToolResultArgs,
  answer: JsonValue,
  leftOut: JsonValue,
): Promise<{ result: JsonValue } | undefined> {
  const { guard, judge } = names;
  const text = listTexts(answer).join('\n');
  if (!needsModel(names, text)) return undefined;
  const [found] = await judge.askEach([text], args);
  const find = createFinder(names, args, found);
  const report = createReport(guard, args);
  const masked = mapTexts(answer, (part) => {
    const hits = find(part);
    report.add(hits, part, { toolCallId: args.toolCall.toolCallId });
    return maskNames(names, args, part, hits);
  });
  report.send();
  if (masked === answer) return undefined;
  return { result: guard.strategy === 'filter' ? leftOut : masked };
}
