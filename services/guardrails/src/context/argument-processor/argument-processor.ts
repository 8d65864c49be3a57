// argument-processor: replaces placeholders in the instructions of the agent by values of the agent's options and of the caller's context.
import { CALLER_TAG, INSTRUCTIONS_TAG } from '@millrace/contracts';
import { defineProcessor, type ProcessInputArgs, type ProcessInputStepArgs } from '@millrace/processor';
import { z } from 'zod';
import {
  addCallerTexts,
  readCallerTexts,
  readContextText,
  referenceSchema,
  TRUSTED,
  UNTRUSTED,
} from '../caller-values.ts';
import { fillPlaceholders, type PlaceholderValue } from './fill-placeholders.ts';

const MAX_NAMES = 100;
const MAX_VALUE_LENGTH = 10_000;

const options = z.strictObject({
  values: z
    .record(referenceSchema, z.string().max(MAX_VALUE_LENGTH))
    .default({})
    .describe('Text of each placeholder, by its name. A value of the context replaces it.'),
  context: z
    .array(referenceSchema)
    .max(MAX_NAMES)
    .default([])
    .describe('Placeholders that the value of requestContext with their name replaces. That text is untrusted.'),
  maxLength: z
    .number()
    .int()
    .min(1)
    .max(MAX_VALUE_LENGTH)
    .default(200)
    .describe('Maximum length of a value of requestContext, in UTF-16 code units. A longer one stops the run.'),
  unknown: z
    .enum(['refuse', 'keep'])
    .default('refuse')
    .describe('A placeholder without a value. refuse: stop the run, with its name. keep: leave it as it is.'),
});
type ArgumentProcessorOptions = z.output<typeof options>;

const ID = 'argument-processor';

/**
 * Replaces `{name}` in the instructions of the agent, once: a value with braces is not read again. `\{name}` is the text `{name}`; braces
 * around anything but a name, such as those of JSON, stay. In processInput the values of `requestContext` become a message of the caller,
 * so that guards after the entry judge and redact them; in processInputStep the processor moves the passed values into the instructions.
 * Instructions with a value of the caller are untrusted, so that consequential tool calls of the run wait for an approval, unless the
 * entry has `declassify: true`.
 *
 * @verdict continue: with the instructions
 * @verdict abort: a placeholder without a value, a value that is too long, or one that a guard has removed
 * @cannot Replace placeholders in other texts: messages, descriptions of tools and recalled texts stay as they are.
 * @cannot Judge a value: place the entry before the guards.
 * @example
 * instructions: You help customers of {company} with the plan {plan}.
 * input:
 *   - use: argument-processor
 *     options: { values: { company: Acme, plan: free }, context: [plan] }
 *   - prompt-injection
 */
export const argumentProcessor = defineProcessor({
  id: ID,
  description: 'Replaces placeholders in the instructions by values of the options and of the request context.',
  aliases: ['Argument', 'ArgumentProcessorModifier'],
  stages: ['processInput', 'processInputStep'],
  positions: { input: 60 },
  reads: { processInputStep: ['system', 'input'] },
  addsText: true,
  options,
  create: (chosen) => ({
    id: ID,
    processInput: (args) => addValues(chosen, args),
    processInputStep: (args) => fillInstructions(chosen, args),
  }),
});

function addValues(chosen: ArgumentProcessorOptions, args: ProcessInputArgs): void {
  const texts = listNames(chosen, args).map((name) => readContextText(args, name) ?? '');
  const long = listNames(chosen, args)[texts.findIndex((text) => text.length > chosen.maxLength)];
  if (long !== undefined)
    refuse(args, 'argument-too-long', `The value of {${long}} is longer than ${chosen.maxLength} characters.`);
  if (texts.length > 0) addCallerTexts(args, texts);
}

/** Returns the names with a value of the caller. They are the same in both stages. */
const listNames = (
  { context }: ArgumentProcessorOptions,
  { requestContext }: Pick<ProcessInputArgs, 'requestContext'>,
) => [...new Set(context)].filter((name) => requestContext.has(name));

function fillInstructions(chosen: ArgumentProcessorOptions, args: ProcessInputStepArgs): void {
  const names = listNames(chosen, args);
  const passed = names.length > 0 ? readCallerTexts(args, names.length) : { texts: [], content: undefined };
  if (!passed) return refuse(args, 'argument-removed', `A value of the placeholders ${listBraced(names)} was removed.`);
  const values = new Map<string, PlaceholderValue>(
    Object.entries(chosen.values).map(([name, text]) => [name, { text, isOutside: false }]),
  );
  for (const [at, name] of names.entries()) values.set(name, { text: passed.texts[at] ?? '', isOutside: true });
  const before = args.messageList.getSystemMessages();
  const own = before.findIndex(({ tag, content }) => tag === CALLER_TAG && content === passed.content);
  const filled = before.map((message) => {
    if (message.tag !== INSTRUCTIONS_TAG) return message;
    const { text: content, isOutside, unknown, isTooLong } = fillPlaceholders(message.content, values);
    if (isTooLong)
      refuse(args, 'instructions-too-long', 'The instructions are too long with the values of their placeholders.');
    if (unknown.length > 0 && chosen.unknown === 'refuse')
      refuse(
        args,
        'placeholder-unknown',
        `The instructions have placeholders without a value: ${listBraced(unknown)}.`,
      );
    return { ...message, content, label: isOutside ? UNTRUSTED : TRUSTED };
  });
  args.messageList.replaceAllSystemMessages(filled.filter((_, at) => at !== own));
}

/** Maximum number of names in a reason. */
const MAX_NAMED = 10;
const listBraced = (names: readonly string[]): string =>
  names
    .slice(0, MAX_NAMED)
    .map((name) => `{${name}}`)
    .join(', ');

function refuse(args: ProcessInputArgs | ProcessInputStepArgs, rule: string, message: string): never {
  args.onViolation({ message, rule, strategy: 'block' });
  return args.abort(message, { metadata: { rules: [rule] } });
}
