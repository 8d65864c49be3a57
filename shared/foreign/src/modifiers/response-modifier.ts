// Adapts family 4, response modifiers: the model's whole answer, before its calls are made. The stream has been
// published by then, unless the agent sets `release: step`; `agents plan` warns of that.
import type { ProcessOutputStepArgs, ProcessorDefinition } from '@millrace/processor';
import type { z } from 'zod';
import { createMaker, type SourceOf } from '../processor-source.ts';
import { answerChanges, toPlainAnswer, type PlainAnswer } from '../plain/plain-answer.ts';
import { toPlainContext } from '../plain/plain-context.ts';
import type { ModifierDefinition } from './modifier-interfaces.ts';
import { toHalt, isHalted, type Halted, type ResponseModifier } from './modifier-interfaces.ts';

export function responseModifier<S extends z.ZodType>(
  source: SourceOf<ResponseModifier, S>,
  given: ModifierDefinition<S>,
): ProcessorDefinition {
  const { id, metrics } = given;
  const made = createMaker(source, given, (modifier: ResponseModifier) => modifier);
  return {
    ...made.base,
    stages: ['processOutputStep'],
    rewritesAnswers: true,
    create: (options) => {
      const modifier = made.create(options);
      return {
        id,
        processOutputStep: (args) =>
          modifyAnswer(args, (answer) => modifier.modify(answer, toPlainContext(args, metrics))),
      };
    },
  };
}

type ModifiedAnswer = PlainAnswer | Halted;

export async function modifyAnswer(
  args: ProcessOutputStepArgs,
  modify: (answer: PlainAnswer) => ModifiedAnswer | Promise<ModifiedAnswer>,
) {
  const result = await modify(toPlainAnswer(args));
  return isHalted(result) ? toHalt(result) : answerChanges(args, result);
}
