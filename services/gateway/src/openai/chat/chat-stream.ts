// Streams a run as a chat completion. The headers wait for the first content, so that an input that is blocked, or a
// run that fails before its first word, is an HTTP error; a later block is in the stream.
import { fromWireError, type Usage } from '@millrace/contracts';
import type { Run } from '@millrace/client';
import { waitForAbort } from '@millrace/bus';
import { startChatState, reduceChat, type ChatEnd, type ChatState } from './chat-state.ts';
import type { ChatWriter } from './chat-wire.ts';
import { ContentBlocked } from '../openai-error.ts';

type HeldText = { text: string; isShown: boolean; end: ChatEnd | undefined };

/** Yields the frames of each group of chunks, until the run has ended. */
export async function* readChatFrames(
  run: Run,
  writer: ChatWriter,
): AsyncGenerator<HeldText & { state: ChatState }, void> {
  let state = startChatState(run.runId);
  for await (const batch of run.batches) {
    let text = '';
    for (const positioned of batch) {
      const next = reduceChat(state, positioned);
      state = next.state;
      if (next.delta) text += writer.formatDelta(next.delta);
    }
    if (text !== '' || state.end) yield { text, isShown: state.isShown, end: state.end, state };
    if (state.end) return;
  }
}

export type ChatFrames = ReturnType<typeof readChatFrames>;

type ChatStreamOptions = {
  includeUsage: boolean;
  /** @throws credentials-refused if the credential has ended, which cancels the run */
  checkCredential: () => void;
  /** Returns the usage of this answer. @param finished of the whole run, if it has ended */
  readUsage: (finished: Usage | undefined) => Promise<Usage>;
};

/**
 * Waits for the first content, or for the end of the run, at most `waitMs`.
 * @throws ContentBlocked, and the error of a run that failed before its first word
 */
export async function holdHeaders(
  frames: ChatFrames,
  writer: ChatWriter,
  { waitMs, ...options }: ChatStreamOptions & { waitMs: number },
): Promise<AsyncGenerator<string, void>> {
  const first = frames.next();
  const read = await Promise.race([first, waitForAbort(AbortSignal.timeout(waitMs))]);
  if (read && !read.done && !read.value.isShown) {
    if (read.value.end) options.checkCredential();
    throwEnd(read.value.end);
  }
  return writeFrames(first, frames, writer, options);
}

function throwEnd(end: ChatEnd | undefined): void {
  if (end?.kind === 'blocked') throw new ContentBlocked(end.reason, end.processor);
  if (end?.kind === 'failed') throw fromWireError(end.error);
}

async function* writeFrames(
  first: ReturnType<ChatFrames['next']>,
  frames: ChatFrames,
  writer: ChatWriter,
  options: ChatStreamOptions,
): AsyncGenerator<string, void> {
  let opening = writer.start();
  try {
    for (let read = await first; !read.done; read = await frames.next()) {
      const { text, end, state } = read.value;
      if (end) options.checkCredential();
      yield opening + text + (end ? await writeEnd(end, state, writer, options) : '');
      opening = '';
    }
  } catch (error) {
    yield opening + writer.formatError(error);
  }
}

async function writeEnd(
  end: ChatEnd,
  { usage }: ChatState,
  writer: ChatWriter,
  { includeUsage, readUsage }: ChatStreamOptions,
): Promise<string> {
  const own = includeUsage ? writer.formatUsage(await readUsage(end.kind === 'finished' ? usage : undefined)) : '';
  const formatClosing = (reason: string) => `${writer.finish(reason)}${own}${writer.done}`;
  switch (end.kind) {
    case 'finished':
      return formatClosing(end.reason);
    case 'suspended':
      return writer.formatDelta({ content: end.text }) + formatClosing('stop');
    case 'calls':
      return writer.formatCalls(end.calls) + formatClosing('tool_calls');
    case 'blocked':
    case 'refused':
      return writer.formatDelta({ refusal: end.reason }) + formatClosing('content_filter');
    case 'failed':
      return writer.formatError(fromWireError(end.error));
    case 'retracted':
      return writer.formatRetraction(end.code);
  }
}
