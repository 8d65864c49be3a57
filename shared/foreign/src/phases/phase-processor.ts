// A chain of processors of three phases as one processor: before the model is processInputStep, after it processOutputStep, after a tool
// processToolResult.
import type { Stage } from '@millrace/contracts';
import type {
  CommonArgs,
  ProcessInputStepArgs,
  ProcessOutputStepArgs,
  ProcessToolResultArgs,
  ProcessorDefinition,
} from '@millrace/processor';
import type { z } from 'zod';
import { cannotBeServed, createMaker, type SourceOf } from '../processor-source.ts';
import type { ModifierDefinition } from '../modifiers/modifier-interfaces.ts';
import { toPlainRequest, requestChanges } from '../modifiers/plain-request.ts';
import { answerChanges, toPlainAnswer } from '../plain/plain-answer.ts';
import { toPlainContext, type Metrics } from '../plain/plain-context.ts';
import { ErrHalt, ErrSuspend, type PhaseProcessor, type ToolResult } from './phase-interfaces.ts';
import { createProcessorChain, type ProcessorChain } from './processor-chain.ts';

export function phaseProcessor<S extends z.ZodType>(
  source: SourceOf<PhaseProcessor | ProcessorChain, S>,
  given: ModifierDefinition<S>,
): ProcessorDefinition {
  const { id, metrics } = given;
  const made = createMaker(source, given, (one) => ('runPreLLM' in one ? one : createProcessorChain(one)));
  const { pre, post, postTool } = made.sample().phases();
  const stages = [
    ...(pre ? ['processInputStep' as const] : []),
    ...(post ? ['processOutputStep' as const] : []),
    ...(postTool ? ['processToolResult' as const] : []),
  ] satisfies Stage[];
  if (stages.length === 0) throw cannotBeServed(id, 'its chain is empty');
  return {
    ...made.base,
    stages,
    ...(post && { rewritesAnswers: true }),
    create: (options) => {
      const chain = made.create(options);
      return {
        id,
        ...(pre && { processInputStep: (args) => runBeforeModel(chain, args, metrics) }),
        ...(post && { processOutputStep: (args) => runAfterModel(chain, args, metrics) }),
        ...(postTool && { processToolResult: (args) => runAfterTool(chain, args, metrics) }),
      };
    },
  };
}

async function runBeforeModel(chain: ProcessorChain, args: ProcessInputStepArgs, metrics: Metrics | undefined) {
  const request = toPlainRequest(args);
  const before = structuredClone(request);
  stopFor(await chain.runPreLLM(toPlainContext(args, metrics), request), args);
  return requestChanges(args.messageList, before, request);
}

async function runAfterModel(chain: ProcessorChain, args: ProcessOutputStepArgs, metrics: Metrics | undefined) {
  const answer = toPlainAnswer(args);
  stopFor(await chain.runPostLLM(toPlainContext(args, metrics), answer), args);
  return answerChanges(args, answer);
}

async function runAfterTool(chain: ProcessorChain, args: ProcessToolResultArgs, metrics: Metrics | undefined) {
  const { toolCallId, toolName, args: given } = args.toolCall;
  const result: ToolResult = { content: structuredClone(args.result), isError: args.isError };
  const call = { id: toolCallId, name: toolName, args: structuredClone(given) };
  stopFor(await chain.runPostTool(toPlainContext(args, metrics), call, result), args);
  const { content, isError } = result;
  const isSame = isError === args.isError && JSON.stringify(content) === JSON.stringify(args.result);
  return isSame ? undefined : { result: content, isError };
}

/** A stop becomes the verdict that it asks for; every other error is the processor's failure. */
function stopFor(error: Error | undefined, { halt, suspend }: CommonArgs): void {
  if (error === undefined) return;
  if (error instanceof ErrHalt) halt(error.response);
  if (error instanceof ErrSuspend) suspend(error.payload);
  throw error;
}
