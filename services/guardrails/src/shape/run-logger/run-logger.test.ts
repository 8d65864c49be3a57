import { createCollectedLog, inputArgs, resultArgs, stepArgs, toolCallArgs, toolResultArgs } from '@millrace/testkit';
import { describe, expect, test } from 'vitest';
import { defineRunLogger } from './run-logger.ts';

/** Calls each stage with the word `nightingale` in each text. */
async function logStages(options: object) {
  const log = createCollectedLog();
  const definition = defineRunLogger(log);
  const processor = definition.create(definition.options.parse(options));
  const word = 'nightingale';
  const call = { model: 'openai/x', tools: {}, modelSettings: {}, providerOptions: {}, steps: [] };
  await processor.processInput?.(inputArgs([`Hello ${word}`, 'x']));
  await processor.processInputStep?.({ ...inputArgs([word]), ...call, toolChoice: 'auto' });
  await processor.processAPIError?.({ ...inputArgs([]), error: new TypeError(word), model: 'openai/x', steps: [] });
  await processor.processOutputStep?.({
    ...stepArgs(word),
    toolCalls: [{ toolCallId: 'c', toolName: 'clock', args: {} }],
  });
  await processor.processToolCall?.(toolCallArgs({ a: word }));
  await processor.processToolResult?.(toolResultArgs([word]));
  const result = { text: word, usage: {}, finishReason: 'stop', steps: [], answered: true };
  await processor.processOutputResult?.({ ...resultArgs([]), result });
  return { definition, log };
}

describe('lines', () => {
  test('each stage has a line with the run, the stage and the sizes, and without texts', async () => {
    const { log } = await logStages({});
    const head = { tenant: 'default', runId: 'run-1', agent: 'demo', entry: 'guard', step: 0, retryCount: 0 };
    expect(log.lines.map(({ fields }) => fields)).toEqual([
      { ...head, stage: 'processInput', messages: 2, characters: 18 },
      { ...head, stage: 'processInputStep', model: 'openai/x', toolChoice: 'auto' },
      { ...head, stage: 'processAPIError', model: 'openai/x', error: 'TypeError', statusCode: null },
      { ...head, stage: 'processOutputStep', characters: 11, tools: ['clock'], finishReason: 'stop', usage: {} },
      { ...head, stage: 'processToolCall', toolName: 'notes', toolCallId: 'c1', characters: 19 },
      { ...head, stage: 'processToolResult', toolName: 'notes', toolCallId: 'c1', isError: false, characters: 15 },
      { ...head, stage: 'processOutputResult', characters: 11, finishReason: 'stop', usage: {}, answered: true },
    ]);
    expect(new Set(log.lines.map(({ level }) => level))).toEqual(new Set(['info']));
  });
  test('with `contents` the lines have the texts, cut at the maximum length', async () => {
    const { log } = await logStages({ contents: true, maxLength: 12, level: 'debug' });
    expect(log.lines.map(({ fields }) => Reflect.get(fields, 'contents'))).toEqual([
      { texts: 'user: Hello  (19 more)' },
      {},
      { message: 'nightingale' },
      { text: 'nightingale' },
      { args: '{"a":"nighti (7 more)' },
      { result: '["nightingal (3 more)' },
      { text: 'nightingale' },
    ]);
    expect(new Set(log.lines.map(({ level }) => level))).toEqual(new Set(['debug']));
  });
});
