// Family 1, message modifiers: the assembled messages before the model is asked.
import type { MessageSource } from '@millrace/contracts';
import type { CommonArgs, MessageList, ProcessorDefinition } from '@millrace/processor';
import type { z } from 'zod';
import { createMaker, type SourceOf } from '../processor-source.ts';
import { toPlainContext, type Metrics } from '../plain/plain-context.ts';
import { applyPlainMessages, toPlainMessages } from '../plain/plain-messages.ts';
import type { ModifierDefinition } from './modifier-interfaces.ts';
import { toHalt, isHalted, type MessageModifier } from './modifier-interfaces.ts';

export type MessageModifierDefinition<S extends z.ZodType> = ModifierDefinition<S> & {
  /** Once before the first step (processInput), or before every one. */
  stage?: 'processInput' | 'processInputStep';
};

/** Text that a modifier inserts is not the caller's: guards of the input do not judge it. */
const SOURCE: MessageSource = 'context';

export function messageModifier<S extends z.ZodType>(
  source: SourceOf<MessageModifier, S>,
  given: MessageModifierDefinition<S>,
): ProcessorDefinition {
  const { id, stage = 'processInput', metrics } = given;
  const made = createMaker(source, given, (modifier: MessageModifier) => modifier);
  return {
    ...made.base,
    stages: [stage],
    create: (options) => {
      const modifier = made.create(options);
      return { id, [stage]: (args: Args) => modify(modifier, args, metrics) };
    },
  };
}

type Args = CommonArgs & { messageList: MessageList };

async function modify(modifier: MessageModifier, args: Args, metrics: Metrics | undefined) {
  const { messageList } = args;
  const result = await modifier.modify(toPlainMessages(messageList), toPlainContext(args, metrics));
  const messages = Array.isArray(result) ? result : result.messages;
  if (messages) applyPlainMessages(messageList, messages, SOURCE);
  return isHalted(result) ? toHalt(result) : undefined;
}
