// `millrace call`: calls one processor or one tool alone, without an agent.
import {
  TRIED_STAGES,
  isTriedStage,
  jsonObjectSchema,
  type JsonObject,
  type ToolCallAnswer,
  type TryAnswer,
  type EntryOutcome,
} from '@millrace/contracts';
import { defineCliCommand, group, jsonArg, withClient, type Cli } from '../command/cli-command.ts';
import { note, writeLine, writeJson } from '../command/cli-io.ts';
import { parseDuration } from '../command/duration.ts';
import { readPrompt } from '../command/read-input.ts';
import { makePrintable } from '../command/printable.ts';
import { UsageError } from '../command/usage-error.ts';

export const defineCallCommand = (cli: Cli) =>
  group('millrace call', 'Call one processor or tool alone, without an agent', {
    processor: defineCallProcessorCommand(cli),
    tool: defineCallToolCommand(cli),
  });

const PROCESSOR = 'millrace call processor';

const defineCallProcessorCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: PROCESSOR,
    description:
      'Judge TEXT with one processor at one stage, and print the verdict. Nothing is stored. Exit code 2: it blocks.',
    args: {
      processor: { type: 'positional', required: true, description: 'its id, or an alias of another framework' },
      text: { type: 'positional', required: false, description: 'in quotes; read from stdin if omitted or -' },
      stage: { type: 'string', description: `${TRIED_STAGES.join(', ')} (default: the first that it has)` },
      options: { type: 'string', description: 'JSON object, as in an entry of an agent' },
      context: { type: 'string', description: 'JSON object: the requestContext' },
      timeout: { type: 'string', description: 'maximum duration, for example 10s (default: 30s)' },
      ...jsonArg,
    },
    async run(args) {
      const { stage } = args;
      if (stage !== undefined && !isTriedStage(stage))
        throw new UsageError(`--stage is one of ${TRIED_STAGES.join(', ')}`, PROCESSOR);
      const options = parseObject(args.options, '--options', PROCESSOR);
      const requestContext = parseObject(args.context, '--context', PROCESSOR);
      const timeoutMs = args.timeout === undefined ? undefined : parseDuration(args.timeout, '--timeout');
      const text = await readPrompt(cli.io, args.text, PROCESSOR);
      const answer = await withClient(cli.io, args, async (client) =>
        client.processors.try({ processor: args.processor, stage, options, requestContext, timeoutMs, text }),
      );
      return printVerdict(cli, answer, args.json === true);
    },
  });

function printVerdict(cli: Cli, answer: TryAnswer, asJson: boolean) {
  if (asJson) writeJson(cli.io, answer);
  else writeLine(cli.io, formatTry(answer));
  return answer.action === 'block' ? 'aborted' : 'ok';
}

const TOOL = 'millrace call tool';

const defineCallToolCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: TOOL,
    description: 'Call one tool with JSON arguments, and print its result. No processor judges them.',
    args: {
      tool: { type: 'positional', required: true, description: 'its name' },
      arguments: { type: 'positional', required: false, description: 'JSON object (default: {})' },
      context: { type: 'string', description: 'JSON object: the requestContext' },
      yes: { type: 'boolean', description: 'required for a tool that writes or sends' },
    },
    async run(args) {
      const given = parseObject(args.arguments, 'the arguments', TOOL);
      const requestContext = parseObject(args.context, '--context', TOOL);
      const answer = await withClient(cli.io, args, async (client) =>
        client.callTool({ tool: args.tool, args: given, requestContext, confirmed: args.yes === true }),
      );
      return printResult(cli, answer);
    },
  });

function printResult(cli: Cli, { result, isError, ms }: ToolCallAnswer) {
  writeLine(cli.io, makePrintable(JSON.stringify(result, null, 2)));
  note(cli.io, `[tool] ${isError ? 'failed' : 'returned'} after ${Math.round(ms)} ms`);
  return isError ? 'failed' : 'ok';
}

function parseObject(text: string | undefined, name: string, command: string): JsonObject | undefined {
  if (text === undefined) return undefined;
  const parsed = jsonObjectSchema.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new UsageError(`${name} is a JSON object, for example '{"key": 1}'`, command);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Formats the verdict of one processor. */
function formatTry({ action, stage, texts, reason, code, outcomes, usage, violations }: TryAnswer): string {
  const lines = [
    `verdict: ${action} at ${stage}`,
    ...(reason === undefined ? [] : [`reason: ${reason}${code === undefined ? '' : ` (${code})`}`]),
    ...(action === 'changed' ? texts.map((text) => `text: ${text}`) : []),
    ...violations.map(({ rule, count }) => `violation: ${rule} × ${count}`),
    ...outcomes.flatMap(formatOutcome),
    ...usage.map(
      ({ modelCalls, inputTokens, outputTokens }) =>
        `model: ${modelCalls} calls, ${inputTokens} input tokens, ${outputTokens} output tokens`,
    ),
  ];
  return makePrintable(lines.join('\n'));
}

function formatOutcome({ verdict, ms, attempts, replica, skipped, error, violations = [] }: EntryOutcome): string[] {
  const where = replica === undefined ? '' : ` on replica ${replica}`;
  const tries = attempts > 1 ? `, ${attempts} attempts` : '';
  return [
    `call: ${verdict}${skipped ? ' (skipped)' : ''} after ${ms.toFixed(1)} ms${where}${tries}`,
    ...(error ? [`  ${error.code}: ${error.message}`] : []),
    ...violations.map(({ message }) => `  ${message}`),
  ];
}
