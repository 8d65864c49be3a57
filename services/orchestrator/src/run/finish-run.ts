// The end of a run that went well: `finish` passes the output stream's processors and is held; processOutputResult has the last
// word on the response messages; what it leaves is in the finish and in the result.
import type { Chunk, ChunkOf } from '@millrace/contracts';
import { dataSink, streamInput } from '../stages/send-chunks.ts';
import { guardChunks } from '../stages/guard-chunks.ts';
import { endWith, type Interrupt } from '../state/interrupt.ts';
import { runStage } from '../stages/run-stage.ts';
import type { Run } from '../state/run-context.ts';
import { finishChunk, runText, stepFinish } from './step-finish.ts';

export async function outputResult(run: Run): Promise<Interrupt> {
  const reason = run.state().steps.at(-1)?.finishReason ?? 'other';
  const passed = await run.inTurn(() =>
    guardChunks(run, [stepFinish(run), finishChunk(run, reason)], streamInput(run)),
  );
  if (passed.interrupt) return passed.interrupt;
  const held = passed.chunks.findLast(isFinish) ?? finishChunk(run, reason);
  run.chunks.publish(passed.chunks.filter((chunk) => !isFinish(chunk)));

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

function isFinish(chunk: Chunk): chunk is ChunkOf<'finish'> {
  return chunk.type === 'finish';
}
