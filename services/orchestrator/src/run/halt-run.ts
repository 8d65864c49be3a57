// The end of a run that a processor halted: its text is the answer. No stage runs any more, so memory is called here, and it alone.
import { entriesOf, messagesOf, textMessage, type StageInput } from '@millrace/contracts';
import type { Ending, Rejected } from '../state/interrupt.ts';
import { callProcessors } from '../stages/call-processors.ts';
import { finishChunk, type Finish } from './finish-chunks.ts';
import { passFinish } from './finish-run.ts';
import { passAnswer } from './pass-texts.ts';
import { responseMessageId } from '../state/response-message.ts';
import type { Run } from '../state/run-context.ts';
import { shieldSave } from './shield-save.ts';
import { emptyFold, foldVerdict } from '../stages/verdict-fold.ts';

export type Halted = { finish: Finish; text: string };

export async function haltRun(run: Run, ending: Extract<Ending, { form: 'halt' }>): Promise<Halted> {
  const { response, rejected, processorId, answered } = ending;
  const passed = await passAnswer(run, `halt-${processorId}`, response);
  const text = passed ?? '';
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids: rejectedIds(run, rejected) }] });
  const isShown = await passEarlier(run);
  const message = textMessage(`${run.ref.runId}.halt`, 'assistant', text);
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'add', source: 'response', message }] });
  // Only where a model has answered, and nothing of what was rejected.
  if (answered && passed !== undefined && isShown) await saveHalt(run, text);
  const finish = finishChunk(run, 'halted');
  return { finish: { ...finish, payload: { ...finish.payload, output: { ...finish.payload.output, text } } }, text };
}

/** What the run had said before passes the output chain, as in every finish. What is rejected there is gone. */
async function passEarlier(run: Run): Promise<boolean> {
  const earlier = finishChunk(run, 'halted');
  if (earlier.payload.messages.length === 0) return true;
  const passed = await passFinish(run, earlier);
  if ('finish' in passed) return true;
  const ids = messagesOf(run.state().conversation, 'response').map(({ id }) => id);
  run.dispatch({ action: 'messages-changed', ops: [{ op: 'remove', ids }] });
  return false;
}

function rejectedIds(run: Run, rejected: Rejected | undefined): string[] {
  const { conversation, steps, open } = run.state();
  const all = messagesOf(conversation, 'response').map((message) => message.id);
  // The message of a step that is closed has the number before; one that is open has not been accepted, or is rejected.
  const openId = responseMessageId(run.ref.runId, steps.length);
  const isOpen = rejected !== undefined || open?.answer === undefined;
  if (rejected?.what === 'run') return all;
  return isOpen ? all.filter((id) => id === openId) : [];
}

/** Only the history: there is nothing to index or extract in words that no model said. A failure is on the events. */
async function saveHalt(run: Run, response: string): Promise<void> {
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
  const shield = shieldSave(run);
  for (const saver of savers) {
    const started = performance.now();
    const saving = callProcessors(shield.run, [saver], { stage, input, onData: () => undefined });
    const judged = await Array.fromAsync(saving);
    const { outcomes } = judged.reduce(foldVerdict, emptyFold(input));
    run.events.record({
      event: 'stage',
      stage,
      step: steps.length,
      ms: performance.now() - started,
      entries: outcomes,
    });
  }
  shield.release();
}
