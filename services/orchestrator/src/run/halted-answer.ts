// The answer of a run that a processor halted: what becomes of the conversation, and its saving. No stage runs any more, so memory
// is called here, and it alone.
import { entriesOf, messagesOf, textMessage, type MessageOp, type StageInput } from '@millrace/contracts';
import type { Rejected } from '../state/interrupt.ts';
import { callProcessors } from '../stages/call-processors.ts';
import { responseMessageId } from '../state/response-message.ts';
import type { Run } from '../state/run-context.ts';
import { emptyFold, foldVerdict } from '../stages/verdict-fold.ts';

/** What was rejected leaves the conversation, the given text is the answer. */
export function haltedMessages(run: Run, response: string, rejected: Rejected | undefined): MessageOp[] {
  const { runId } = run.ref;
  const { conversation, steps } = run.state();
  const all = messagesOf(conversation, 'response').map((message) => message.id);
  // The message of a step that is closed has the number before; one that is open has not been accepted, or is rejected.
  const open = responseMessageId(runId, steps.length);
  const isOpen = rejected !== undefined || run.state().open?.answer === undefined;
  const gone = rejected?.what === 'run' ? all : isOpen ? all.filter((id) => id === open) : [];
  return [
    { op: 'remove', ids: gone },
    { op: 'add', source: 'response', message: textMessage(`${runId}.halt`, 'assistant', response) },
  ];
}

/** Only the history: there is nothing to index or extract in words that no model said. A failure is on the events. */
export async function saveHalt(run: Run, response: string): Promise<void> {
  const { steps, usage, conversation } = run.state();
  const stage = 'processOutputResult' as const;
  const input: StageInput = {
    retryCount: 0,
    stepNumber: steps.length,
    text: response,
    usage,
    finishReason: 'halted',
    steps,
    answered: true,
    conversation,
  };
  const savers = entriesOf(run.plan, stage).filter((entry) => entry.memory && entry.processor === 'message-history');
  for (const saver of savers) {
    const started = performance.now();
    const judged = await callProcessors(run, [saver], { stage, input, onData: () => undefined });
    const { outcomes } = judged.reduce((fold, one) => foldVerdict(stage, fold, one), emptyFold(input));
    run.events.record({
      event: 'stage',
      stage,
      step: steps.length,
      ms: performance.now() - started,
      entries: outcomes,
    });
  }
}
