// secrets: finds keys, tokens, passwords and private keys in what the caller sends, the model's stream, tool calls and results, and
// the final answer. What it lets through is the same however the model's text is cut into chunks.
import { defineProcessor } from '@millrace/processor';
import { judgeInput, judgeResult } from '../guard/judge-stages.ts';
import { judgeChunk, judgeToolCall, judgeToolResult, type ToolGuard } from '../guard/judge-tools.ts';
import { createKeyedMap } from '../guard/keyed-values.ts';
import { segmentRule } from '../guard/segment-rule.ts';
import { createTask } from '../work/task.ts';
import { createDetectSecrets } from './detect-secrets.ts';
import { prepareSecrets } from './find-secrets.ts';
import { isSecretName } from './secret-names.ts';
import { secretSegments } from './secret-segments.ts';
import { secretsOptions, type SecretsOptions } from './secrets-options.ts';

export const LEFT_OUT = '[tool result left out: it held a secret]';
const DENIED = 'The arguments hold a secret, which this tool must not be given.';
const MARK = '[REDACTED]';

/**
 * Finds keys, tokens and passwords in what the caller sends, in the stream, in tool calls and in tool results. Under `output` for answers
 * and tools, under `input` for the caller.
 *
 * @verdict continue: with what was found marked, removed, or (warn) left as it is
 * @verdict abort: strategy block, or a text that is more than can be judged
 * @verdict halt: the same, where `response` is set
 * @verdict deny: of a tool call with a secret in its arguments, with `toolArguments: deny`
 * @cannot Find a password that stands alone: without a name beside it, it is a word.
 * @cannot Know whether a key is valid, or a made-up one of a manual.
 * @example
 * output:
 *   - use: secrets
 *     options: { toolArguments: keep }
 */
export const secrets = defineProcessor({
  id: 'secrets',
  description: 'Finds keys, tokens, passwords and private keys in input, answer, tool calls and results.',
  stages: ['processInput', 'processOutputStream', 'processToolCall', 'processToolResult', 'processOutputResult'],
  reads: ['input', 'response'],
  changes: {
    processInput: { option: 'strategy', values: ['redact', 'filter'] },
    processToolCall: 'never',
    processToolResult: { option: 'strategy', values: ['redact', 'filter'] },
    processOutputResult: { option: 'strategy', values: ['redact', 'filter'] },
  },
  processDataParts: true,
  options: secretsOptions,
  create(options) {
    const guard = createGuard(options);
    return {
      id: 'secrets',
      processInput: (args) => judgeInput(guard, args),
      processOutputStream: (args) => judgeChunk(guard, args),
      processToolCall: (args) => judgeToolCall(guard, args),
      processToolResult: (args) => judgeToolResult(guard, args),
      processOutputResult: (args) => judgeResult(guard, args),
    };
  },
});

function createGuard({ strategy, response, toolArguments, rules, minEntropy, allow }: SecretsOptions): ToolGuard {
  const detection = { rules, minEntropy, allow };
  const task = createTask('secrets', prepareSecrets, detection);
  return {
    strategy,
    response,
    toolArguments,
    leftOut: LEFT_OUT,
    denied: { reason: DENIED, code: 'secret' },
    describe: (found) => `A secret: ${found.join(', ')}.`,
    task,
    remembersClean: true,
    rules: [
      segmentRule(secretSegments(createDetectSecrets(detection).cutPlace), (text) => task.now([text])[0]?.[0] ?? []),
    ],
    mark: () => (strategy === 'filter' ? '' : MARK),
    mapValue: createKeyedMap(isSecretName),
  };
}
