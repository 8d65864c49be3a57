// prefill-error-handler: repeats a model call that the provider refused because the conversation ends with a message of the assistant.
import { buildTextMessage, listModelParts, type Message } from '@millrace/contracts';
import { defineProcessor, type ProcessAPIErrorArgs, type ProcessAPIErrorResult } from '@millrace/processor';
import { z } from 'zod';
import { boundPatterns, compilePattern, patternSchema, type TextPattern } from '../../text/linear-pattern.ts';

const MAX_PATTERNS = 20;
const MAX_MESSAGE_LENGTH = 10_000;
/** Code units of an error that are read: providers name the cause at its start. */
const MAX_ERROR_LENGTH = 8_000;

const options = z
  .strictObject({
    message: z
      .string()
      .min(1)
      .max(MAX_MESSAGE_LENGTH)
      .default('Continue.')
      .describe('Text of the user message that is added after the last message of the assistant.'),
    patterns: z
      .array(patternSchema)
      .max(MAX_PATTERNS)
      .default([])
      .describe('Regular expressions (RE2, case-insensitive) that match the errors of further providers.'),
  })
  .superRefine(boundPatterns('patterns', ({ patterns }) => patterns));
type PrefillErrorHandlerOptions = z.output<typeof options>;
type PrefillHandler = PrefillErrorHandlerOptions & { known: readonly TextPattern[] };

/** Parts of the errors of Anthropic, Mistral and Google, which their gateways pass on. */
const KNOWN_ERRORS = [
  'assistant (?:message )?prefill',
  'conversation must end with a user message',
  'expected last role user or tool',
  'requests end with a user role',
];

/**
 * Recognizes the error of a provider that takes no conversation with a message of the assistant at its end, as a caller, a history or
 * another processor can leave it. It adds a message of the user and asks for the call again, once: the conversation then ends with that
 * message. The added message has the source `context`, so that no history stores it. An agent with this entry has `maxProcessorRetries` 10
 * by default.
 *
 * @verdict retry: with the added message
 * @verdict continue: another error, or a conversation with another end
 * @cannot Prevent the first, refused call.
 * @cannot Keep a prefill: the model begins a new answer instead of continuing the text of the assistant.
 * @example
 * error:
 *   - prefill-error-handler
 */
export const prefillErrorHandler = defineProcessor({
  id: 'prefill-error-handler',
  description: 'Repeats a model call that was refused because the conversation ends with a message of the assistant.',
  aliases: ['PrefillErrorHandler'],
  stages: ['processAPIError'],
  reads: ['remembered', 'input', 'response', 'context'],
  options,
  create: (chosen) => {
    const known = [...KNOWN_ERRORS, ...chosen.patterns].map((source) => compilePattern(source));
    return { id: 'prefill-error-handler', processAPIError: (args) => handleError({ ...chosen, known }, args) };
  },
});

function handleError({ known, message }: PrefillHandler, args: ProcessAPIErrorArgs): ProcessAPIErrorResult {
  const { messageList, run, entry } = args;
  const text = readError(args.error);
  const last = messageList.get.all.db().findLast(({ role }) => role !== 'system');
  if (!last || !endsWithAssistant(last) || !known.some((pattern) => pattern.matches(text))) return undefined;
  messageList.add(buildTextMessage(`${run.runId}-${entry}`, 'user', message), 'context');
  return { retry: true };
}

/** A call of a tool is followed by its result in the prompt. */
const endsWithAssistant = (message: Message): boolean =>
  message.role === 'assistant' && !listModelParts(message).some(({ type }) => type === 'tool-invocation');

function readError(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const body = 'responseBody' in error && typeof error.responseBody === 'string' ? error.responseBody : '';
  return `${error.message}\n${body}`.slice(0, MAX_ERROR_LENGTH);
}
