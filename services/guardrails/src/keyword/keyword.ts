// keyword: blocks or redacts configured words, phrases and patterns in the caller's messages, the model's stream and the final
// answer. Words are compared on normalized text; "the droplet table" is not "drop table".
import type { JsonObject } from '@millrace/contracts';
import {
  defineProcessor,
  mapMessageText,
  type CommonArgs,
  type ProcessInputArgs,
  type ProcessOutputResultArgs,
  type ProcessOutputStreamArgs,
} from '@millrace/processor';
import { guardStream } from '../guard/guard-stream.ts';
import { refuse } from '../guard/refuse.ts';
import { userMessages } from '../guard/user-messages.ts';
import { compilePattern } from '../text/linear-pattern.ts';
import { replaceSpans, type Span } from '../text/span.ts';
import { createKeywordMatcher } from './keyword-matcher.ts';
import { keywordOptions, type KeywordOptions } from './keyword-options.ts';
import { findPatterns, settledByPatterns } from './pattern-filter.ts';

const MARK = '[REDACTED]';
/** Hits that a report lists; it always counts all of them. */
const MAX_LISTED = 20;

type Rule = {
  /** The state's member for what this rule holds back. */
  heldIn: string;
  find(text: string): (Span & { rule: string })[];
  settled(text: string): number;
};

export const keyword = defineProcessor({
  id: 'keyword',
  description: 'Blocks or redacts configured words, phrases and patterns in input and answer.',
  aliases: ['KeywordGuard'],
  stages: ['processInput', 'processOutputStream', 'processOutputResult'],
  reads: ['input', 'response'],
  options: keywordOptions,
  create(options) {
    const rules = rulesOf(options);
    return {
      id: 'keyword',
      processInput: (args) => judgeInput(rules, options, args),
      processOutputStream: (args) => judgeStream(rules, options, args),
      processOutputResult: (args) => judgeAnswer(rules, options, args),
    };
  },
});

function judgeInput(rules: Rule[], options: KeywordOptions, args: ProcessInputArgs): void {
  for (const message of userMessages(args.messageList)) {
    const judged = mapMessageText(message, (text) => judge(rules, options, text, args, { messageId: message.id }));
    if (judged !== message) args.messageList.replace(judged);
  }
}

/** One rule after the other, as on a whole text: what the first has let through is what the second holds back from. */
function judgeStream(rules: Rule[], options: KeywordOptions, args: ProcessOutputStreamArgs) {
  const where = { chunk: args.part.type };
  return rules.reduce(
    (parts, rule) => {
      const apply = (text: string) => judge([rule], options, text, args, where);
      const filter = { settled: rule.settled, apply };
      return parts.flatMap((part) => guardStream({ part, state: args.state }, filter, { heldIn: rule.heldIn }));
    },
    [args.part],
  );
}

function judgeAnswer(rules: Rule[], options: KeywordOptions, args: ProcessOutputResultArgs): void {
  for (const message of args.messageList.get.response.db()) {
    const judged = mapMessageText(message, (text) => judge(rules, options, text, args, { messageId: message.id }));
    if (judged !== message) args.messageList.replace(judged);
  }
}

function rulesOf({ keywords, patterns, wholeWords }: KeywordOptions): Rule[] {
  const rules: Rule[] = [];
  if (keywords.length > 0) {
    const matcher = createKeywordMatcher(keywords, wholeWords);
    const find = (text: string) => matcher.find(text).map((hit) => ({ ...hit, rule: hit.keyword }));
    rules.push({ heldIn: 'held', find, settled: matcher.settled });
  }
  if (patterns.length > 0) {
    const compiled = patterns.map(compilePattern);
    const find = (text: string) => findPatterns(compiled, text).map((hit) => ({ ...hit, rule: hit.pattern }));
    rules.push({ heldIn: 'heldForPatterns', find, settled: (text) => settledByPatterns(compiled, text) });
  }
  return rules;
}

/** The text as it may pass. Throws (abort, halt) with strategy block. */
function judge(rules: Rule[], options: KeywordOptions, text: string, args: CommonArgs, where: JsonObject): string {
  return rules.reduce((judged, rule) => {
    const hits = rule.find(judged);
    if (hits.length === 0) return judged;
    const message = 'A keyword was found.';
    const listed = hits.slice(0, MAX_LISTED).map(({ rule: found, start, end }) => ({ rule: found, start, end }));
    args.onViolation({ message, strategy: options.strategy, detail: { ...where, count: hits.length, hits: listed } });
    if (options.strategy === 'block') refuse(args, options.response, message, { count: hits.length });
    return options.strategy === 'redact' ? replaceSpans(judged, hits, () => MARK) : judged;
  }, text);
}
