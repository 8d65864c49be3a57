// Classes of known differences between both sides, with their reason: the first class that fits names a difference. A
// class states both outcomes exactly; any other difference is unclassified.
import type { GeneratedConversation } from './conversation.ts';
import type { ComparedOutcome, SentMessage } from './outcome.ts';

export type Difference = {
  what: 'text' | 'tripwire' | 'prompts' | 'error';
  conversation: GeneratedConversation;
  ours: ComparedOutcome;
  theirs: ComparedOutcome;
};
export type DifferenceClass = { name: string; why: string; fits(difference: Difference): boolean };

export const CLASSES: readonly DifferenceClass[] = [
  {
    name: 'swallowed-stop',
    why: 'A stop that a processor asked for and then caught holds here; there the run continues as if the processor had not asked.',
    fits: ({ conversation, ours }) => hasUse(conversation, 'own-swallower') && ours.tripwire?.reason === 'swallowed',
  },
  {
    name: 'rejected-text',
    why: 'What a stop rejected is in no result (promise 3): an aborted run has no text. There it keeps what was said so far.',
    fits: ({ what, ours, theirs }) =>
      what === 'text' && ours.text === '' && ours.tripwire !== undefined && theirs.tripwire !== undefined,
  },
  {
    name: 'text-of-all-steps',
    why: 'The text of a result is that of all steps, as the interface says; there it is that of the last one.',
    fits: ({ what, ours, theirs }) => what === 'text' && ours.text === theirs.ofAllSteps,
  },
  {
    name: 'judged-reason',
    why: 'The reason of an abort passes the output list: one that holds what the list rejects is withheld. There it is shown.',
    fits: ({ what, ours, theirs }) =>
      what === 'tripwire' && ours.tripwire?.reason === 'text-withheld' && theirs.tripwire !== undefined,
  },
  {
    name: 'retry-feedback',
    why: 'The model gets the reason of the last rejection as it was given; there all of them, each in a sentence of the framework.',
    fits: ({ what, ours, theirs }) =>
      what === 'prompts' && !isDifferent(ours.prompts, theirs.prompts.map(keepLastFeedback)),
  },
];

const hasUse = ({ input, output }: GeneratedConversation, name: string): boolean =>
  [...input, ...output].some(({ use }) => use === name);

const SENTENCE =
  /^\[Processor Feedback\] Your previous response was not accepted: (.*)\. Please try again with the feedback in mind\.$/s;

function keepLastFeedback(prompt: SentMessage[]): SentMessage[] {
  const last = prompt.findLastIndex(({ text }) => SENTENCE.test(text));
  const kept = prompt.filter(({ text }, at) => at === last || !SENTENCE.test(text));
  return kept.map((message) => ({ ...message, text: message.text.replace(SENTENCE, '$1') }));
}

const isDifferent = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);

export function findDifferences(
  conversation: GeneratedConversation,
  ours: ComparedOutcome,
  theirs: ComparedOutcome,
): Difference[] {
  return (['text', 'tripwire', 'prompts', 'error'] as const)
    .filter((what) => isDifferent(ours[what], theirs[what]))
    .map((what) => ({ what, conversation, ours, theirs }));
}

export const findClass = (difference: Difference): string | undefined =>
  CLASSES.find((one) => one.fits(difference))?.name;
