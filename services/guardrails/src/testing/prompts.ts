// Prompts of model calls, as the orchestrator builds them.
import type { JsonObject, JsonValue, Prompt } from '@millrace/contracts';
import type { ProcessLLMRequestArgs } from '@millrace/processor';
import { commonArgs } from '@millrace/testkit';

export type PromptMessage = Prompt[number];

export const writeWords = (count: number, word = 'word'): string => Array.from({ length: count }, () => word).join(' ');
export const systemText = (content: string): PromptMessage => ({ role: 'system', content });
export const userText = (text: string): PromptMessage => ({ role: 'user', content: [{ type: 'text', text }] });
export const assistantText = (text: string): PromptMessage => ({
  role: 'assistant',
  content: [{ type: 'text', text }],
});
export const makeCall = (toolCallId: string, input: JsonValue, toolName = 'read-file'): PromptMessage => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName, input }],
});
export const makeResult = (toolCallId: string, output: JsonValue, toolName = 'read-file'): PromptMessage => ({
  role: 'tool',
  content: [
    {
      type: 'tool-result',
      toolCallId,
      toolName,
      output: typeof output === 'string' ? { type: 'text', value: output } : output,
    },
  ],
});
/** A step of a run: a call with its result. */
export const makeStep = (id: string, input: JsonValue, output: JsonValue): Prompt => [
  makeCall(id, input),
  makeResult(id, output),
];

export const requestArgs = (prompt: Prompt, state: JsonObject = {}) =>
  ({
    ...commonArgs(),
    state,
    prompt,
    model: 'openai/x',
    steps: [],
    tools: [],
    modelSettings: {},
    providerOptions: {},
    guards: [],
  }) satisfies ProcessLLMRequestArgs;
