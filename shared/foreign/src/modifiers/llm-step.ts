// Adapts family 3, wrappers of the model call: the request before it, the answer after it.
import type { Stage } from '@millrace/contracts';
import type { ProcessInputStepArgs, ProcessorDefinition, ProcessorMethods } from '@millrace/processor';
import type { z } from 'zod';
import { cannotBeServed, createMaker, type SourceOf } from '../processor-source.ts';
import { toPlainContext } from '../plain/plain-context.ts';
import type { ModifierDefinition } from './modifier-interfaces.ts';
import { toHalt, isHalted, type LLMAgentStep } from './modifier-interfaces.ts';
import { toPlainRequest, requestChanges } from './plain-request.ts';
import { modifyAnswer } from './response-modifier.ts';

export function llmStep<S extends z.ZodType>(
  source: SourceOf<LLMAgentStep, S>,
  given: ModifierDefinition<S>,
): ProcessorDefinition {
  const { id, metrics } = given;
  const made = createMaker(source, given, (step: LLMAgentStep) => step);
  const { before, after } = made.sample();
  const stages: Stage[] = [
    ...(before ? ['processInputStep' as const] : []),
    ...(after ? ['processOutputStep' as const] : []),
  ];
  if (stages.length === 0) throw cannotBeServed(id, 'it has neither before() nor after()');
  return {
    ...made.base,
    stages,
    ...(after && { rewritesAnswers: true }),
    create: (options) => {
      const step = made.create(options);
      const methods: ProcessorMethods = {
        ...(step.before && { processInputStep: (args) => applyRequest(step, args, given) }),
        ...(step.after && {
          processOutputStep: (args) =>
            modifyAnswer(args, (answer) => step.after?.(answer, toPlainContext(args, metrics)) ?? answer),
        }),
      };
      return { id, ...methods };
    },
  };
}

async function applyRequest(
  step: LLMAgentStep,
  args: ProcessInputStepArgs,
  { metrics }: Pick<ModifierDefinition, 'metrics'>,
) {
  const request = toPlainRequest(args);
  const before = structuredClone(request);
  const result = (await step.before?.(request, toPlainContext(args, metrics))) ?? request;
  return isHalted(result) ? toHalt(result) : requestChanges(args.messageList, before, result);
}
