// Builds messages and chunks for tests.
import { buildTextMessage, type Chunk, type JsonValue, type Message } from '@millrace/contracts';
import { MessageList, type Processor } from '@millrace/processor';
import { setImmediate as nextTurn } from 'node:timers/promises';

export const assistant = (id: string, text: string): Message => buildTextMessage(id, 'assistant', text);

/** Builds a message with several text parts. */
export function messageInParts(id: string, ...texts: string[]): Message {
  const message = buildTextMessage(id, 'user', '');
  return { ...message, content: { format: 2, parts: texts.map((text) => ({ type: 'text', text })) } };
}

/** Builds an answer with a tool call and its result. */
export function messageWithTool(id: string, args: JsonValue, result: JsonValue): Message {
  const message = buildTextMessage(id, 'assistant', '');
  const toolInvocation = { state: 'result' as const, toolCallId: 'c1', toolName: 'notes', args, result };
  return { ...message, content: { format: 2, parts: [{ type: 'tool-invocation', toolInvocation }] } };
}

const base = { runId: 'r1', from: 'AGENT' as const };

export const toolCallChunk = (args: JsonValue): Chunk => ({
  ...base,
  type: 'tool-call',
  payload: { toolCallId: 'c1', toolName: 'notes', args },
});
export const toolResultChunk = (result: JsonValue): Chunk => ({
  ...base,
  type: 'tool-result',
  payload: { toolCallId: 'c1', toolName: 'notes', result },
});
export const objectChunk = (object: JsonValue): Chunk => ({ ...base, type: 'object', object });
export const stepStartChunk: Chunk = { ...base, type: 'step-start', payload: {} };
export const finishChunk = (text: string): Chunk => ({
  ...base,
  type: 'finish',
  payload: { stepResult: { reason: 'stop' }, output: { text }, messages: [assistant('a1', text)] },
});

export function withSystem(processor: Processor, ...contents: string[]): Processor {
  const system = contents.map((content) => ({ tag: 'instructions', content }));
  const messageList = new MessageList({ entries: [], system }, 'response');
  return { ...processor, processOutputStream: (args) => processor.processOutputStream?.({ ...args, messageList }) };
}

export async function countTurns(work: () => Promise<unknown>): Promise<number> {
  const done = new AbortController();
  const counting = (async () => {
    for (let turns = 0; ; turns++) {
      if (done.signal.aborted) return turns;
      await nextTurn();
    }
  })();
  await work();
  done.abort();
  return counting;
}
