// The provider's request contains the decisions of processInputStep, observed between the orchestrator and dev-model.
import { defineMethods, useNats, useProcessors, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { useModelProxy } from './model-proxy.ts';

const SCHEMA = {
  type: 'object',
  properties: { sum: { type: 'number' } },
  required: ['sum'],
  additionalProperties: false,
};

/** Chooses how the model is asked. */
const chooser = defineMethods(
  'chooser',
  {
    processInputStep: ({ tools }) => ({
      model: 'openai/gpt-5',
      tools: Object.assign(tools, ...Object.values(tools).map((tool) => ({ extra: { ...tool, name: 'extra' } }))),
      activeTools: ['extra'],
      toolChoice: 'required',
      modelSettings: { maxOutputTokens: 99 },
      providerOptions: { openai: { user: 'ada', reasoningEffort: 'low' } },
      structuredOutput: { schema: SCHEMA, name: 'sum' },
    }),
  },
  { reads: ['tools'] },
);

const nats = useNats();
useProcessors(nats, [chooser]);
const stack = useStack(nats, ['tools']);
const { bodies } = useModelProxy(stack);

test('model, tools, active tools, tool choice, settings, provider options and schema reach the provider', async () => {
  await stack.client.agents.apply({
    name: 'choosing',
    model: 'openai/gpt-5-mini',
    instructions: 'Answer.',
    tools: ['calculator'],
    input: ['chooser'],
    maxSteps: 1,
  });
  await (await stack.client.start('choosing', 'What is 2 + 3?')).result();
  expect(bodies).toMatchObject([
    {
      model: 'gpt-5',
      tools: [{ type: 'function', name: 'extra' }],
      tool_choice: 'required',
      max_output_tokens: 99,
      user: 'ada',
      reasoning: { effort: 'low' },
      text: { format: { type: 'json_schema', name: 'sum', schema: SCHEMA } },
    },
  ]);
  expect(bodies[0]).toHaveProperty('tools.length', 1);
});

test('The settings, the tool choice and the schema of a caller reach the provider, within the limits of the agent', async () => {
  bodies.length = 0;
  await stack.client.agents.apply({
    name: 'open',
    model: 'openai/gpt-5-mini',
    instructions: 'Answer.',
    tools: ['calculator'],
    modelSettings: { maxOutputTokens: 50 },
    callerSettings: ['maxOutputTokens', 'toolChoice'],
  });
  const run = await stack.client.start('open', 'What is 17 * 23?', {
    modelSettings: { maxOutputTokens: 99 },
    toolChoice: { type: 'tool', toolName: 'calculator' },
    structuredOutput: { schema: SCHEMA, name: 'sum' },
    release: 'step',
  });
  await run.result();
  const format = { text: { format: { type: 'json_schema', name: 'sum', schema: SCHEMA } }, max_output_tokens: 50 };
  expect(bodies[0]).toMatchObject({ ...format, tool_choice: { type: 'function', name: 'calculator' } });
  expect(bodies[1]).toMatchObject(format);
  expect(bodies[1]).not.toMatchObject({ tool_choice: { type: 'function' } });
  const refused = stack.client.start('open', 'Hello.', { modelSettings: { temperature: 0 } });
  await expect(refused).rejects.toMatchObject({ code: 'run-refused', path: 'modelSettings.temperature' });
  const invalid = stack.client.start('open', 'Hello.', { structuredOutput: { schema: { type: 'none' } } });
  await expect(invalid).rejects.toMatchObject({ code: 'run-refused', path: 'structuredOutput.schema' });
});

test('A schema of any object is a request for JSON without a schema', async () => {
  bodies.length = 0;
  const structuredOutput = { schema: { type: 'object', additionalProperties: true } };
  await (await stack.client.start('open', 'What is 2 + 3?', { structuredOutput })).result();
  expect(bodies[0]).toMatchObject({ text: { format: { type: 'json_object' } } });
});

test('The tools of a caller, its choice of one and parallelToolCalls reach the provider', async () => {
  bodies.length = 0;
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', tools: ['calculator'] };
  await stack.client.agents.apply({ ...base, name: 'calling', clientTools: true });
  const inputSchema = { type: 'object', properties: { city: { type: 'string' } } };
  const run = await stack.client.start('calling', 'What is 2 + 3?', {
    clientTools: [{ name: 'weather', description: 'Reads the weather.', inputSchema }],
    toolChoice: { type: 'tool', toolName: 'weather' },
    parallelToolCalls: false,
  });
  await run.result();
  expect(bodies[0]).toMatchObject({
    tools: [{ name: 'calculator' }, { name: 'weather', description: 'Reads the weather.', parameters: inputSchema }],
    tool_choice: { type: 'function', name: 'weather' },
    parallel_tool_calls: false,
  });
});
