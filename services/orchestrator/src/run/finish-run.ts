// The end of a run that went well: `finish` passes the output stream's processors and is held; processOutputResult has the last
// word on the response messages; what it leaves is in the finish and in the result.
import { messagesOf, type Chunk, type ChunkOf } from '@millrace/contracts';
import { chunk } from '../state/make-chunk.ts';
import { textOf } from '../state/response-message.ts';
import { dataSink, streamInput } from '../stages/send-chunks.ts';
import { guardChunks } from '../stages/guard-chunks.ts';
import { endWith, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';

export async function finishRun(run: Run): Promise<Interrupt> {
  const reason = run.state().steps.at(-1)?.finishReason ?? 'other';
  const passed = await run.inTurn(() =>
    guardChunks(run, [stepFinish(run), finishChunk(run, reason)], streamInput(run)),
  );
  if (passed.interrupt) return passed.interrupt;
  const held = passed.chunks.findLast(isFinish) ?? finishChunk(run, reason);
  run.chunks.publish(passed.chunks.filter((part) => !isFinish(part)));

  const { conversation, steps, usage, retryCount } = run.state();
  const before = runText(run);
  const input = {
    retryCount,
    stepNumber: steps.length - 1,
    conversation,
    text: before,
    usage,
    finishReason: reason,
    steps,
    answered: run.state().answered,
  };
  const { interrupt } = await runStage(run, 'processOutputResult', input, dataSink(run));
  if (interrupt) return interrupt;
  const changed = run.state().conversation !== conversation;
  return endWith({ form: 'finish', finish: changed ? withFinalText(run, held) : held });
}

/** What the stream's processors put into the finish stays; text and messages are what processOutputResult left. */
function withFinalText(run: Run, held: ChunkOf<'finish'>): ChunkOf<'finish'> {
  const { payload } = finishChunk(run, held.payload.stepResult.reason);
  return {
    ...held,
    payload: { ...held.payload, messages: payload.messages, output: { ...held.payload.output, text: runText(run) } },
  };
}

function isFinish(part: Chunk): part is ChunkOf<'finish'> {
  return part.type === 'finish';
}

/** The chunk that closes a step, built from what was let through. */
export function stepFinish(run: Run): Chunk {
  const { steps, usage, open } = run.state();
  const { answer } = open ?? {};
  const count = open?.closed ? steps.length : steps.length + 1;
  const isContinued = (answer?.toolCalls.length ?? 0) > 0 && count < run.agent.maxSteps;
  return chunk(run.ref.runId, {
    type: 'step-finish',
    payload: {
      ...(answer && { messageId: answer.message.id }),
      stepResult: { reason: answer?.finishReason ?? 'other', isContinued },
      output: { text: answer?.text ?? '', toolCalls: answer?.toolCalls ?? [], usage: answer?.usage ?? {} },
      metadata: { model: answer?.model ?? run.agent.model, fromCache: answer?.fromCache ?? false },
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
