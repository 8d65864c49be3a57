// The chunks that end a step and a run, built from what was let through.
import { messageText, messagesOf, type Chunk, type ChunkOf, type StepResult } from '@millrace/contracts';
import { chunk } from '../state/make-chunk.ts';
import type { Run } from '../state/run-context.ts';

export type Finish = ChunkOf<'finish'>;

export function stepFinish(run: Run): Chunk {
  const { steps, usage, open } = run.state();
  const { answer } = open ?? {};
  const count = open?.closed ? steps.length : steps.length + 1;
  const isContinued = (answer?.toolCalls.length ?? 0) > 0 && count < run.agent.maxSteps;
  return chunk(run.ref.runId, {
    type: 'step-finish',
    payload: {
      ...(answer && { messageId: answer.message.id }),
      stepResult: { reason: answer?.finishReason ?? 'other', isContinued, ...warningsOf(answer) },
      output: { text: answer?.text ?? '', toolCalls: answer?.toolCalls ?? [], usage: answer?.usage ?? {} },
      metadata: { model: answer?.model ?? run.agent.model, fromCache: answer?.fromCache ?? false },
      totalUsage: usage,
      ...responseOf(answer),
      ...(answer?.providerMetadata && { providerMetadata: answer.providerMetadata }),
    },
  });
}

/** The text of the run: of all its accepted answers, as they stand in the conversation. */
export function runText(run: Run): string {
  return messagesOf(run.state().conversation, 'response').map(messageText).join('');
}

export function finishChunk(run: Run, reason: string): Finish {
  const { usage, conversation, steps } = run.state();
  return {
    type: 'finish',
    runId: run.ref.runId,
    from: 'AGENT',
    payload: {
      stepResult: { reason, ...warningsOf(steps.at(-1)) },
      output: { text: runText(run), usage, steps: steps.length },
      metadata: { model: steps.at(-1)?.model ?? run.agent.model },
      messages: messagesOf(conversation, 'response'),
      ...responseOf(steps.at(-1)),
    },
  };
}

type Told = Pick<StepResult, 'warnings' | 'response'> | undefined;
const warningsOf = (told: Told): object => (told?.warnings ? { warnings: told.warnings } : {});
const responseOf = (told: Told): object => (told?.response ? { response: told.response } : {});
