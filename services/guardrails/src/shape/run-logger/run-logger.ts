// run-logger: logs the stages of a run, their sizes and, if the agent asks for it, their texts.
import { measureJson, readMessageText, type JsonObject, type JsonValue, type Stage } from '@millrace/contracts';
import { defineProcessor, type CommonArgs, type ProcessorDefinition } from '@millrace/processor';
import { z } from 'zod';

const LEVELS = ['debug', 'info'] as const;
type WriteLine = (fields: object, message: string) => void;
export type StageLog = Record<(typeof LEVELS)[number], WriteLine>;
/** Log of a service that logs nothing. */
export const NO_LOG: StageLog = { debug: () => undefined, info: () => undefined };

const options = z.strictObject({
  level: z.enum(LEVELS).default('info').describe('Level of the lines in the log of the service.'),
  contents: z
    .boolean()
    .default(false)
    .describe(
      'Whether the lines have the texts of messages, answers, arguments, results and errors, as the entries before this one left them.',
    ),
  maxLength: z
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(2_000)
    .describe('Maximum length of each text, in UTF-16 code units. The rest is cut; its length is in the line.'),
});
type RunLoggerOptions = z.output<typeof options>;

const ID = 'run-logger';

/**
 * Writes one line to the log of its service for each stage: tenant, run, agent, entry, stage, step and retries, and the sizes, names,
 * finish reason and usage of the stage. It changes nothing and judges nothing. List it with `observe: true`, so that no run waits for
 * it, in each of the lists that interest you, and after the guards: with `contents` it logs the texts that they passed.
 *
 * @verdict continue: always
 * @cannot Log verdicts of other entries: the events of the run have them (`millrace runs show`).
 * @cannot Log chunks of a stream: it logs the whole answer of a step.
 * @cannot Keep an audit trail: an observer can miss calls, and the log is only as durable as that of the service.
 * @example
 * input:
 *   - pii
 *   - { use: run-logger, observe: true }
 * output:
 *   - pii
 *   - { use: run-logger, observe: true }
 */
export const defineRunLogger = (log: StageLog): ProcessorDefinition =>
  defineProcessor({
    id: ID,
    description: 'Logs stage, step and sizes of a run, and its texts if an option is set.',
    aliases: ['LoggingProcessor'],
    stages: [
      'processInput',
      'processInputStep',
      'processAPIError',
      'processLLMResponse',
      'processOutputStep',
      'processToolCall',
      'processToolResult',
      'processOutputResult',
    ],
    positions: { input: 900, output: 900 },
    reads: { processInput: ['input'] },
    changes: NOTHING,
    policy: { onFailure: 'skip' },
    options,
    create: (chosen) => {
      const write = (stage: Stage, args: CommonArgs, facts: object, contents: Contents = {}): void =>
        log[chosen.level](buildLine(chosen, stage, args, facts, contents), 'stage of a run');
      return {
        id: ID,
        processInput(args) {
          const texts = args.messageList.get.input
            .db()
            .map(({ role, ...message }) => ({ role, text: readMessageText({ role, ...message }) }));
          const characters = texts.reduce((sum, { text }) => sum + text.length, 0);
          write(
            'processInput',
            args,
            { messages: texts.length, characters },
            { texts: texts.map(({ role, text }) => `${role}: ${text}`).join('\n') },
          );
        },
        processInputStep(args) {
          const { model, toolChoice } = args;
          write('processInputStep', args, { model, ...(toolChoice !== undefined && { toolChoice }) });
        },
        processAPIError(args) {
          const { name, message, statusCode } = readError(args.error);
          write('processAPIError', args, { model: args.model, error: name, statusCode }, { message });
        },
        processLLMResponse(args) {
          const { model, finishReason, usage, fromCache, modelCall } = args;
          write('processLLMResponse', args, { model, finishReason, usage, fromCache, modelCall });
        },
        processOutputStep(args) {
          const { text, toolCalls, finishReason, usage } = args;
          const tools = toolCalls.map(({ toolName }) => toolName);
          write('processOutputStep', args, { characters: text.length, tools, finishReason, usage }, { text });
        },
        processToolCall(args) {
          const { toolName, toolCallId, args: given, argsText } = args.toolCall;
          write(
            'processToolCall',
            args,
            { toolName, toolCallId, characters: measureJson(given, argsText) },
            { args: argsText ?? given },
          );
        },
        processToolResult(args) {
          const { result, resultText, isError } = args;
          const { toolName, toolCallId } = args.toolCall;
          write(
            'processToolResult',
            args,
            { toolName, toolCallId, isError, characters: measureJson(result, resultText) },
            { result: resultText ?? result },
          );
        },
        processOutputResult(args) {
          const { text, finishReason, usage, answered } = args.result;
          write('processOutputResult', args, { characters: text.length, finishReason, usage, answered }, { text });
        },
      };
    },
  });

const NOTHING = {
  processInput: 'never',
  processInputStep: 'never',
  processOutputStep: 'never',
  processToolCall: 'never',
  processToolResult: 'never',
  processOutputResult: 'never',
} as const;

/** Texts of a stage, by the names of their members. */
type Contents = Readonly<Record<string, JsonValue>>;

function buildLine(
  { contents: isWanted, maxLength }: RunLoggerOptions,
  stage: Stage,
  { run, entry, stepNumber, retryCount }: CommonArgs,
  facts: object,
  contents: Contents,
): object {
  const { tenant, runId, agent } = run;
  const head = { tenant, runId, agent, entry, stage, step: stepNumber, retryCount };
  if (!isWanted) return { ...head, ...facts };
  const texts = Object.entries(contents).map(([name, value]) => [name, cutText(value, maxLength)]);
  return { ...head, ...facts, contents: Object.fromEntries(texts) };
}

function cutText(value: JsonValue, maxLength: number): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)} (${text.length - maxLength} more)`;
}

function readError(error: unknown): { name: string; message: string; statusCode: JsonObject['statusCode'] } {
  if (!(error instanceof Error)) return { name: 'Error', message: String(error), statusCode: null };
  const statusCode = 'statusCode' in error && typeof error.statusCode === 'number' ? error.statusCode : null;
  return { name: error.name, message: error.message, statusCode };
}
