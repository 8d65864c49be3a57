// Streams a run in the protocol of useChat.
import type { Run } from '@millrace/client';
import type { GatewayContext } from '../context/gateway-context.ts';
import { describeProblem } from '../http/problem.ts';
import { formatEvent, respondWithEvents, type StreamDelivery } from '../http/event-stream.ts';
import { writeJsonTexts } from '../http/json-texts.ts';
import { describeIgnored } from '../openai/start-headers.ts';
import { readRefusal } from '../access/open-stream.ts';
import { reduceUi, startUi } from './ui-state.ts';
import type { UiEvent } from './ui-parts.ts';

const HEADERS = { 'x-vercel-ai-ui-message-stream': 'v1' };
const writeEvents = (events: readonly UiEvent[]): string =>
  events
    .map((event) => formatEvent(event.type.startsWith('tool-') ? writeJsonTexts(event) : JSON.stringify(event)))
    .join('');

/** The events before those of the run. `continues`: they continue the message that holds the calls of the run. */
export type Opening = { events: readonly UiEvent[]; continues: boolean };
export const NO_OPENING: Opening = { events: [], continues: false };

async function* writeUiFrames(run: Run, opening: Opening, left: AbortSignal): AsyncGenerator<string, void> {
  let state = startUi(run.runId, opening.continues);
  try {
    if (opening.events.length > 0) yield writeEvents(opening.events);
    for await (const batch of run.batches) {
      const events: UiEvent[] = [];
      for (const positioned of batch) {
        const step = reduceUi(state, positioned);
        state = step.state;
        events.push(...step.events);
      }
      if (events.length > 0) yield writeEvents(events);
      // Without `finish` the client takes the stream for a lost one and resumes it.
      if (state.broken) return;
      if (state.ended) break;
    }
    yield formatEvent('[DONE]');
  } catch (error) {
    if (left.aborted && !readRefusal(left)) return;
    const { body } = describeProblem(error);
    yield writeEvents([{ type: 'error', errorText: 'detail' in body ? String(body.detail) : 'The stream failed.' }]);
  }
}

export type UiStreamOptions = {
  context: GatewayContext;
  opening?: Opening;
  /** Members of the request without an effect. */
  ignored?: readonly string[];
  left: AbortSignal;
  close: (end: StreamDelivery) => void;
};

export function respondWithUi(
  run: Run,
  { context, opening = NO_OPENING, ignored = [], left, close }: UiStreamOptions,
): Response {
  return respondWithEvents(writeUiFrames(run, opening, left), {
    keepAliveMs: context.settings.KEEP_ALIVE_MS,
    onEnd: close,
    headers: { ...HEADERS, ...describeIgnored(ignored), 'x-millrace-run-id': run.runId },
  });
}
