// Builds the chunks that end a step and a run from the text that passed.
import {
  readFirstModel,
  readMessageText,
  selectMessages,
  type Chunk,
  type ChunkOf,
  type StepResult,
} from '@millrace/contracts';
import { makeChunk } from './make-chunk.ts';
import type { StatedRun } from './run-transcript.ts';

export type FinishChunk = ChunkOf<'finish'>;

export function makeStepFinish(run: StatedRun): Chunk {
  const { steps, usage, open } = run.getState();
  const { answer } = open ?? {};
  const count = open?.closed ? steps.length : steps.length + 1;
  const isContinued = (answer?.toolCalls.length ?? 0) > 0 && count < run.agent.maxSteps;
  return makeChunk(run.ref.runId, {
    type: 'step-finish',
    payload: {
      ...(answer && { messageId: answer.message.id }),
      stepResult: { reason: answer?.finishReason ?? 'other', isContinued, ...pickWarnings(answer) },
      output: { text: answer?.text ?? '', toolCalls: answer?.toolCalls ?? [], usage: answer?.usage ?? {} },
      metadata: { model: answer?.model ?? readFirstModel(run.agent), fromCache: answer?.fromCache ?? false },
      totalUsage: usage,
      ...pickResponse(answer),
      ...(answer?.providerMetadata && { providerMetadata: answer.providerMetadata }),
    },
  });
}

/** Returns the text of the run: that of all accepted answers in the conversation. */
export function runText(run: Pick<StatedRun, 'getState'>): string {
  return selectMessages(run.getState().conversation, 'response').map(readMessageText).join('');
}

export function makeFinishChunk(run: StatedRun, reason: string): FinishChunk {
  const { usage, conversation, steps } = run.getState();
  return {
    type: 'finish',
    runId: run.ref.runId,
    from: 'AGENT',
    payload: {
      stepResult: { reason, ...pickWarnings(steps.at(-1)) },
      output: { text: runText(run), usage, steps: steps.length },
      metadata: { model: steps.at(-1)?.model ?? readFirstModel(run.agent) },
      messages: selectMessages(conversation, 'response'),
      ...pickResponse(steps.at(-1)),
    },
  };
}

type FinishDetails = Pick<StepResult, 'warnings' | 'response'> | undefined;
const pickWarnings = (details: FinishDetails): object => (details?.warnings ? { warnings: details.warnings } : {});
const pickResponse = (details: FinishDetails): object => (details?.response ? { response: details.response } : {});
