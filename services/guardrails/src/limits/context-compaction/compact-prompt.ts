// Compacts a prompt that is above its budget: shortens old tool results, then summarizes and drops the oldest messages. The change is that
// of one model call: the conversation of the run stays.
import type { ProcessLLMRequestArgs, ProcessLLMRequestResult } from '@millrace/processor';
import { addMessageTokens } from '../token-limiter/message-units.ts';
import type { ContextCompactionOptions } from './context-compaction-options.ts';
import { countDraft, dropOldest, findPromptRanges, joinDraft, toDraftRange, type PromptDraft } from './draft-prompt.ts';
import { createPromptCounter, type CountingTask } from './prompt-counter.ts';
import { shortenResults, type ResultCounts } from './shorten-results.ts';
import { restoreSummary, storeSummaries } from './stored-summaries.ts';
import { summarizeOldest, type Summarizer } from './summarize-turns.ts';

export type Compactor = ContextCompactionOptions & { task: CountingTask; summarizer?: Summarizer };

export async function compactRequest(
  compactor: Compactor,
  args: ProcessLLMRequestArgs,
): Promise<ProcessLLMRequestResult> {
  const { budget, keepRecent, summarizer } = compactor;
  const counter = createPromptCounter(compactor.task, args, compactor.response);
  const before = (await counter.countMessages(args.prompt)).reduce((sum, own) => sum + addMessageTokens(own), 0);
  if (before <= budget) return undefined;
  const { recentStart, isFixed, ranges } = findPromptRanges(args.prompt, keepRecent);
  const ends = { head: compactor.resultHeadTokens, tail: compactor.resultTailTokens };
  const { prompt, ...counts } = shortenResults(args.prompt, recentStart, ends, counter.find);
  let draft: PromptDraft = {
    prompt,
    tokens: await counter.countMessages(prompt),
    isFixed,
    ranges: ranges.map(toDraftRange),
  };
  const isAbove = async () => (await countDraft(counter, draft)) > budget;
  if (summarizer && (await isAbove())) {
    draft = { ...draft, ranges: draft.ranges.map((range) => restoreSummary(args.state, args.prompt, range)) };
    if (await isAbove()) {
      draft = await summarizeOldest(summarizer, counter, draft, args);
      storeSummaries(args.state, args.prompt, draft.ranges);
    }
  }
  if (compactor.drop && (await isAbove())) draft = await dropOldest(counter, draft, budget);
  report(compactor, args, counts, draft, { before, after: await countDraft(counter, draft) });
  const compacted = joinDraft(draft);
  const isSame =
    compacted.length === args.prompt.length && compacted.every((message, at) => message === args.prompt[at]);
  return isSame ? undefined : { prompt: compacted };
}

function report(
  { budget }: Compactor,
  { onViolation }: ProcessLLMRequestArgs,
  { shortened, repeated, characters }: ResultCounts,
  { ranges }: PromptDraft,
  tokens: { before: number; after: number },
): void {
  const summarized = ranges.reduce((sum, range) => sum + range.summarized - range.start, 0);
  const dropped = ranges.reduce((sum, range) => sum + Math.max(range.dropped - range.summarized, 0), 0);
  const count = shortened + repeated + summarized + dropped;
  const detail = { ...tokens, budget, shortened, repeated, characters, summarized, dropped };
  const message =
    `The prompt is longer than ${budget} tokens: ${shortened} tool results were shortened, ${repeated} repeated ones omitted, ` +
    `${summarized} messages summarized and ${dropped} dropped.`;
  if (count > 0) onViolation({ message, rule: 'context-compacted', strategy: 'compact', count, detail });
  if (tokens.after <= budget) return;
  const left = `The prompt has ${tokens.after} tokens after its compaction, more than the budget of ${budget}.`;
  onViolation({ message: left, rule: 'budget-not-met', strategy: 'compact', detail });
}
