// The chunks that close a step and a run, built from what was let through.
import { messagesOf, type Chunk, type ChunkOf } from '@millrace/contracts';
import { chunk } from '../state/make-chunk.ts';
import { textOf } from '../state/response-message.ts';
import type { Run } from '../state/run-context.ts';

export function stepFinish(run: Run): Chunk {
  const { steps, usage, open } = run.state();
  const step = steps.at(-1);
  const reason = step?.finishReason ?? 'other';
  const isContinued = (step?.toolCalls.length ?? 0) > 0 && steps.length < run.agent.maxSteps;
  return chunk(run.ref.runId, {
    type: 'step-finish',
    payload: {
      ...(open?.answer && { messageId: open.answer.message.id }),
      stepResult: { reason, isContinued },
      output: { text: step?.text ?? '', toolCalls: step?.toolCalls ?? [], usage: step?.usage ?? {} },
      metadata: { model: step?.model ?? run.agent.model, fromCache: step?.fromCache ?? false },
      totalUsage: usage,
    },
  });
}

/** The text of the run: of all its accepted answers, as they stand in the conversation. */
export function runText(run: Run): string {
  return messagesOf(run.state().conversation, 'response').map(textOf).join('');
}

export function finishChunk(run: Run, reason: string): ChunkOf<'finish'> {
  const { usage, conversation, steps } = run.state();
  return {
    type: 'finish',
    runId: run.ref.runId,
    from: 'AGENT',
    payload: {
      stepResult: { reason },
      output: { text: runText(run), usage, steps: steps.length },
      metadata: { model: steps.at(-1)?.model ?? run.agent.model },
      messages: messagesOf(conversation, 'response'),
    },
  };
}
