// Processors that return one verdict each at the stage of their options.
import { defineMethods, defineProcessor } from '@millrace/testkit';
import { z } from 'zod';

const options = z.strictObject({
  at: z.string(),
  retry: z.boolean().default(false),
  times: z.number().default(99),
  text: z.string().default('stopped'),
});
type VerdictOptions = z.output<typeof options>;

/** Stops at one stage, in the first `times` calls of a run. */
export const stopper = defineProcessor({
  id: 'stopper',
  description: 'stops a run',
  stages: [
    'processInput',
    'processInputStep',
    'processLLMRequest',
    'processOutputStream',
    'processLLMResponse',
    'processOutputStep',
    'processToolCall',
    'processToolResult',
    'processOutputResult',
  ],
  reads: ['input', 'response', 'chunks'],
  options,
  create({ at, retry, times, text }: VerdictOptions) {
    const stop =
      (stage: string) =>
      (args: {
        abort(reason: string, options: { retry: boolean; metadata: { stage: string } }): never;
        retryCount: number;
      }) => {
        if (stage === at && args.retryCount < times) args.abort(`${text} at ${stage}`, { retry, metadata: { stage } });
        return undefined;
      };
    return {
      id: 'stopper',
      processInput: stop('processInput'),
      processInputStep: stop('processInputStep'),
      processLLMRequest: stop('processLLMRequest'),
      processLLMResponse: stop('processLLMResponse'),
      processOutputStep: stop('processOutputStep'),
      processToolCall: stop('processToolCall'),
      processToolResult: stop('processToolResult'),
      processOutputResult: stop('processOutputResult'),
      processOutputStream: async (args) => {
        if (args.part.type === 'text-delta') stop('processOutputStream')(args);
        return args.part;
      },
    };
  },
});

export const halter = defineProcessor({
  id: 'halter',
  description: 'answers in place of the model',
  stages: ['processInput', 'processOutputStep'],
  reads: ['input'],
  options: z.strictObject({ at: z.string(), text: z.string() }),
  create: ({ at, text }) => ({
    id: 'halter',
    processInput: () => (at === 'processInput' ? { halt: true as const, response: text } : undefined),
    processOutputStep: ({ halt }) => (at === 'processOutputStep' ? halt(text) : undefined),
  }),
});

/** Denies calls, or changes their arguments. */
export const denier = defineMethods('denier', {
  processToolCall: ({ toolCall }) => {
    if (JSON.stringify(toolCall.args).includes('secret'))
      return { deny: true as const, reason: 'not that one', code: 'no' };
    return { args: { expression: '2 + 3' } };
  },
  processToolResult: ({ result }) => ({ result: { judged: result } }),
});

/** Answers from a cache. */
export const cache = defineMethods(
  'cache',
  {
    processLLMRequest: ({ run }) => ({
      response: {
        chunks: [
          { type: 'text-start', runId: run.runId, from: 'AGENT', payload: { id: 'c' } },
          { type: 'text-delta', runId: run.runId, from: 'AGENT', payload: { id: 'c', text: 'from the cache' } },
          { type: 'text-end', runId: run.runId, from: 'AGENT', payload: { id: 'c' } },
        ],
      },
    }),
    processLLMResponse: ({ fromCache, onViolation }) => onViolation({ message: `fromCache ${fromCache}` }),
  },
  { reads: ['chunks'] },
);

/** Asks again after an API error, with less. */
export const rescuer = defineMethods(
  'rescuer',
  {
    processAPIError: ({ error, messageList, retryCount, state }) => {
      if (retryCount > 0) return undefined;
      state['seen'] = error instanceof Error ? error.message : 'nothing';
      messageList.addSystem('Say less.');
      return { retry: true };
    },
  },
  { reads: ['input'] },
);

export const breaker = defineProcessor({
  id: 'breaker',
  description: 'throws',
  stages: ['processInput', 'processOutputStep', 'processOutputStream'],
  reads: [],
  options: z.strictObject({ at: z.string() }),
  create: ({ at }) => ({
    id: 'breaker',
    processInput: () => {
      if (at === 'processInput') throw new Error('broken');
    },
    processOutputStep: () => {
      if (at === 'processOutputStep') throw new Error('broken');
    },
    processOutputStream: async ({ part }) => {
      if (at === 'processOutputStream' && part.type === 'text-delta') throw new Error('broken');
      return part;
    },
  }),
});
