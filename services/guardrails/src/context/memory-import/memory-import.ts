// memory-import: adds the texts that the user's message refers to by `@memory:KEY`.
import { listModelParts, type Label, type Message, type MessagePart } from '@millrace/contracts';
import { defineProcessor, type ProcessInputArgs } from '@millrace/processor';
import { z } from 'zod';
import { refuse } from '../../guard/report.ts';
import { responseOption } from '../../guard/strategy-options.ts';
import { readContextText, referenceSchema, TRUSTED, UNTRUSTED } from '../caller-values.ts';

const MAX_KEYS = 1_000;
const MAX_TEXT_LENGTH = 100_000;

const options = z.strictObject({
  texts: z
    .record(referenceSchema, z.string().max(MAX_TEXT_LENGTH))
    .default({})
    .describe('Texts of the agent, by their keys. They are trusted.'),
  context: z
    .array(referenceSchema)
    .max(MAX_KEYS)
    .default([])
    .describe(
      'Keys of requestContext with values that can be imported. They are untrusted; a text of the agent has precedence.',
    ),
  maxImports: z
    .number()
    .int()
    .min(1)
    .max(100)
    .default(10)
    .describe('Maximum number of texts that a message can import.'),
  maxLength: z
    .number()
    .int()
    .min(1)
    .max(MAX_TEXT_LENGTH)
    .default(10_000)
    .describe('Maximum length of a value of requestContext, in UTF-16 code units. A longer one is not imported.'),
  strategy: z
    .enum(['warn', 'block'])
    .default('warn')
    .describe(
      'A reference that cannot be resolved. warn: report its key, and keep the reference. block: stop the run.',
    ),
  response: responseOption,
});
type MemoryImportOptions = z.output<typeof options>;

/**
 * Adds the text of each reference `@memory:KEY` in the user's last message, once, as a part of the message after its own text, which
 * stays as it is. References in an imported text are not resolved. Place the entry before the guards: they judge the imported texts as
 * parts of the message. A text of the agent is trusted, and a value of `requestContext` is not, so that consequential tool calls of the
 * run wait for an approval, unless the entry has `declassify: true`. A history stores the message with the imported texts.
 *
 * @verdict continue: with the imported texts
 * @verdict abort: strategy block, a reference that cannot be resolved
 * @verdict halt: strategy block, if `response` is set
 * @cannot Read working memory or a thread: a processor has no right to the verbs of memories. Add `working-memory` to the agent, which
 * gives the model the whole memory of the resource.
 * @cannot Read files.
 * @example
 * input:
 *   - use: memory-import
 *     options: { texts: { returns: 'Goods can be returned for 30 days.' }, context: [cart] }
 *   - prompt-injection
 */
export const memoryImport = defineProcessor({
  id: 'memory-import',
  description: 'Adds the texts that the user’s message refers to by @memory:KEY.',
  aliases: ['MemoryImport', 'MemoryImportModifier'],
  stages: ['processInput'],
  positions: { input: 70 },
  reads: ['input'],
  addsText: true,
  options,
  create: (chosen) => ({ id: 'memory-import', processInput: (args) => addTexts(chosen, args) }),
});

const REFERENCE = /(?<![\w@])@memory:([A-Za-z][\w-]{0,63})(?![\w-])/g;

function addTexts(chosen: MemoryImportOptions, args: ProcessInputArgs): void {
  const message = args.messageList.get.input.db().findLast(({ role }) => role === 'user');
  if (!message) return;
  const keys = listReferences(message);
  const imported = keys.slice(0, chosen.maxImports).flatMap((key) => findText(chosen, args, key));
  report(chosen, args, 'memory-too-many', keys.slice(chosen.maxImports));
  if (imported.length === 0) return;
  const parts = [...listModelParts(message), ...imported];
  args.messageList.replace({ ...message, content: { ...message.content, parts } });
}

function listReferences(message: Message): string[] {
  const texts = listModelParts(message).flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return [...new Set(texts.flatMap((text) => [...text.matchAll(REFERENCE)].map(([, key = '']) => key)))];
}

function findText(chosen: MemoryImportOptions, args: ProcessInputArgs, key: string): MessagePart[] {
  const own = Object.hasOwn(chosen.texts, key) ? chosen.texts[key] : undefined;
  if (own !== undefined) return [buildPart(key, own, TRUSTED)];
  const text = chosen.context.includes(key) ? readContextText(args, key) : undefined;
  if (text !== undefined && text.length <= chosen.maxLength) return [buildPart(key, text, UNTRUSTED)];
  report(chosen, args, text === undefined ? 'memory-unknown' : 'memory-too-long', [key]);
  return [];
}

const buildPart = (key: string, text: string, label: Label): MessagePart => ({
  type: 'text',
  text: `\n\nText of @memory:${key}:\n${text}`,
  label,
});

const PROBLEMS = {
  'memory-unknown': 'does not exist',
  'memory-too-long': 'is too long',
  'memory-too-many': 'is above the maximum number of imports',
};
/** Maximum number of keys in a report. */
const MAX_NAMED = 10;

function report(
  { strategy, response }: MemoryImportOptions,
  args: ProcessInputArgs,
  rule: keyof typeof PROBLEMS,
  keys: readonly string[],
): void {
  if (keys.length === 0) return;
  const named = keys.slice(0, MAX_NAMED);
  const message = `The text of ${named.map((key) => `@memory:${key}`).join(', ')} ${PROBLEMS[rule]}.`;
  args.onViolation({ message, rule, strategy, count: keys.length, detail: { keys: named } });
  if (strategy === 'block') refuse(args, response, message, { rules: [rule] });
}
