// Passes answers that processors have changed through the output chain again: rebuilt in the buffer of a run that
// releases its result as a whole, otherwise before the changed text replaces the streamed one (restate-answer.ts).
import { readMessageText, selectMessages, type Message } from '@millrace/contracts';
import { addRejected, rejectWholeRun, type Interrupt } from '../state/interrupt.ts';
import { buildResponseMessageId } from '../transcript/response-message.ts';
import type { Run } from '../state/run-context.ts';
import { guardAgain } from './guard-again.ts';
import { makeMessageChunks } from '../transcript/message-chunks.ts';
import { rebuildBuffered, takePassed } from './rebuild-buffered.ts';

/** Passes the answers that have not passed in their current form, regardless of the entry and the stage that changed them. */
export async function passReworded(run: Run): Promise<Interrupt | undefined> {
  return (await remakeReworded(run)) ?? (await passLate(run));
}

export const hasReworded = (run: Run): boolean => listLate(run).length > 0 || listRemadeIds(run).size > 0;

/** Rebuilds the answers of a completely buffered run. */
async function remakeReworded(run: Run): Promise<Interrupt | undefined> {
  const changed = listRemadeIds(run);
  if (changed.size === 0) return undefined;
  const textIds = new Set(listTextIds(run));
  const now = selectMessages(run.getState().conversation, 'response').filter(({ id }) => textIds.has(id));
  const rejected = rejectWholeRun(run.getState());
  const take = (message: Message) => takeText(run, message);
  return rebuildBuffered(run, { from: rejected.from, now, changed, rejected, take });
}

/** Returns the changed and removed answers of closed steps. Messages that processors added belong to no step. */
function listRemadeIds(run: Run): Set<string> {
  if (run.agent.release !== 'result') return new Set();
  const { conversation, unpassed } = run.getState();
  const there = new Set(selectMessages(conversation, 'response').map(({ id }) => id));
  return new Set(listTextIds(run).filter((id) => unpassed.includes(id) || !there.has(id)));
}

const listTextIds = ({ ref: { runId }, getState }: Run): string[] =>
  getState().steps.map(({ stepNumber }) => buildResponseMessageId(runId, stepNumber));

async function passLate(run: Run): Promise<Interrupt | undefined> {
  for (const message of listLate(run)) {
    const stopped = await run.serialize(async () => {
      const passedAgain = await guardAgain(run, message.id, makeMessageChunks(run.ref.runId, message));
      const { interrupt } = passedAgain;
      const ended = run.checkInterruption();
      if (ended) return ended;
      if (interrupt) return addRejected(interrupt, rejectWholeRun(run.getState()));
      takePassed(run, message, passedAgain, (passed) => takeText(run, passed));
      return undefined;
    });
    if (stopped) return stopped;
  }
  return undefined;
}

/** Returns the messages with a text that has not passed as chunks: changed ones that are not rebuilt, and added ones. */
function listLate(run: Run): Message[] {
  const { conversation, unpassed, steps, shown } = run.getState();
  if (unpassed.length === 0) return [];
  const streamed = new Map(listTextIds(run).map((id, at) => [id, shown[at]?.differs ? undefined : steps[at]?.text]));
  const isLate = (message: Message): boolean => {
    const { id } = message;
    if (!unpassed.includes(id) || readMessageText(message) === '') return false;
    return streamed.has(id) ? run.agent.release !== 'result' && streamed.get(id) !== readMessageText(message) : true;
  };
  return selectMessages(conversation, 'response').filter(isLate);
}

/** The text passes once more with `finish`. */
function takeText(run: Run, message: Message): void {
  run.dispatch({
    action: 'messages-changed',
    ops: [{ op: 'replace', message }],
    unpassed: true,
  });
}
