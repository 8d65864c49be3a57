// secrets: finds keys, tokens, passwords and private keys in the caller's messages, the stream, tool calls and results,
// and the final answer. The result does not depend on the chunks of the stream.
import { defineProcessor } from '@millrace/processor';
import { judgeInput, judgeResult } from '../../guard/judge-stages.ts';
import { judgeChunk, judgeToolCall, judgeToolResult, type ToolGuard } from '../../guard/judge-tools.ts';
import { createKeyedMap } from '../../guard/keyed-values.ts';
import { createSegmentRule } from '../../guard/judge-segments.ts';
import { createTask } from '../../work/task.ts';
import { createDetectSecrets } from './detect-secrets.ts';
import { secretTask } from './find-secrets.ts';
import { isSecretName } from './secret-names.ts';
import { createSecretSegments } from './secret-segments.ts';
import { secretsOptions, type SecretsOptions } from './secrets-options.ts';

export const LEFT_OUT = '[tool result removed: it contained a secret]';
const DENIED = 'The arguments contain a secret, which this tool must not receive.';
const MARK = '[REDACTED]';

/**
 * Finds keys, tokens and passwords in the caller's messages, in the stream, in tool calls and in tool results. Put it
 * under `output` for answers and tools, under `input` for the caller.
 *
 * @verdict continue: with values marked, removed, or (warn) unchanged
 * @verdict abort: strategy block, or a text that exceeds a bound
 * @verdict halt: the same, if `response` is set
 * @verdict deny: a tool call with a secret in its arguments, with `toolArguments: deny`
 * @cannot Find a password without a name next to it: it looks like any word.
 * @cannot Check whether a key is valid or an invented example.
 * @example
 * output:
 *   - use: secrets
 *     options: { toolArguments: keep }
 */
export const secrets = defineProcessor({
  id: 'secrets',
  description: 'Finds keys, tokens, passwords and private keys in input, answer, tool calls and results.',
  stages: ['processInput', 'processOutputStream', 'processToolCall', 'processToolResult', 'processOutputResult'],
  judgesText: true,
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
  const task = createTask(secretTask, detection);
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
      createSegmentRule(
        createSecretSegments(createDetectSecrets(detection).findCutPlace),
        (text) => task.runNow([text])[0]?.[0] ?? [],
      ),
    ],
    mark: () => (strategy === 'filter' ? '' : MARK),
    mapValue: createKeyedMap(isSecretName),
  };
}
