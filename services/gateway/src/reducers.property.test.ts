// Properties of the three reducers: a client of each protocol ends with the text of the visible chunks, after retractions
// at any chunk and takeovers by other orchestrators.
import type { PositionedChunk } from '@millrace/client';
import { readUIMessageStream, type UIMessage, type UIMessageChunk } from 'ai';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { startChatState, reduceChat } from './openai/chat/chat-state.ts';
import { startResponse } from './openai/responses/response-changes.ts';
import { reduceResponse } from './openai/responses/response-state.ts';
import { keepVisible, readVisibleCalls, readVisibleText, retractedHistory } from './testing/retracted-histories.ts';
import type { UiEvent } from './ui/ui-parts.ts';
import { reduceUi, startUi } from './ui/ui-state.ts';

function writeUi(history: readonly PositionedChunk[]) {
  const events: UiEvent[] = [];
  let state = startUi('run-1', false);
  for (const one of history) {
    const step = reduceUi(state, one);
    state = step.state;
    events.push(...step.events);
  }
  return { state, events };
}

type Shown = { text: string; calls: Record<string, unknown> };
const readVisible = (history: readonly PositionedChunk[]): Shown => ({
  text: readVisibleText(history),
  calls: readVisibleCalls(history),
});

/** Reads the events with the reader of the AI SDK. @throws the error of the reader */
async function readUi(events: readonly UiEvent[]): Promise<Shown> {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the reader checks each event
  const stream = ReadableStream.from(events as UIMessageChunk[]);
  let last: UIMessage | undefined;
  const states = readUIMessageStream({ stream, terminateOnError: true, onError: () => undefined });
  for await (const message of states) last = message;
  const parts = last?.parts ?? [];
  const calls = parts.flatMap((part) =>
    part.type === 'dynamic-tool'
      ? [[part.toolCallId, part.state === 'output-available' ? part.output : null] as const]
      : [],
  );
  return {
    text: parts.map((part) => (part.type === 'text' ? part.text : '')).join(''),
    calls: Object.fromEntries(calls),
  };
}

describe('after any retractions and takeovers', () => {
  test('a page of useChat shows the visible text and calls, or reads the run again and shows them then', async () => {
    await fc.assert(
      fc.asyncProperty(retractedHistory, async (history) => {
        const { state, events } = writeUi(history);
        const shown = state.broken ? readVisible(history) : await readUi(events);
        expect(shown).toEqual(readVisible(history));
        const again = writeUi(keepVisible(history));
        expect(again.state).toMatchObject({ broken: false, ended: true });
        expect(await readUi(again.events)).toEqual(readVisible(history));
      }),
      { numRuns: 300 },
    );
  });

  test('the final output of a response has the visible text and calls, and its events have each index once', () => {
    fc.assert(
      fc.property(retractedHistory, (history) => {
        let state = startResponse('run-1');
        const added: unknown[] = [];
        for (const one of history) {
          const step = reduceResponse(state, one);
          state = step.state;
          for (const event of step.events)
            if (event.type === 'response.output_item.added') added.push(event['output_index']);
        }
        const texts = state.items.map((item) => (item.kind === 'message' ? item.text : ''));
        expect(texts.join('')).toBe(readVisibleText(history));
        const calls = state.items.flatMap((item) => (item.kind === 'call' ? [[item.callId, item.output]] : []));
        expect(Object.fromEntries(calls)).toEqual(readVisibleCalls(history));
        expect(state.status).toBe('completed');
        expect(new Set(added).size).toBe(added.length);
      }),
      { numRuns: 1_000 },
    );
  });

  test('a chat completion streams the visible text, or ends with an error', () => {
    fc.assert(
      fc.property(retractedHistory, (history) => {
        let state = startChatState('r1');
        let text = '';
        for (const one of history) {
          const step = reduceChat(state, one);
          state = step.state;
          if (step.delta && 'content' in step.delta) text += step.delta.content;
        }
        const isWhole = state.end?.kind === 'finished' && text === readVisibleText(history);
        expect(isWhole || state.end?.kind === 'retracted').toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });
});
