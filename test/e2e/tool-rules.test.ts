// Rules for tools in complete runs: the tools that a step offers, the arguments that a tool receives, and calls that are denied.
import { defineTool, useNats, useProcessors, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { applying } from './apply-agent.ts';
import { useModelProxy } from './model-proxy.ts';
import { script } from './script.ts';

/** JSON texts of the arguments that the tool received. */
const received: string[] = [];
const search = defineTool({
  name: 'search-notes',
  description: 'Searches notes.',
  effect: 'read',
  inputSchema: z.looseObject({}),
  execute: (_, { argsText }) => ({ found: received.push(argsText) }),
});

const nats = useNats();
useProcessors(nats, [], 'searching', [search]);
const stack = useStack(nats, ['guardrails', 'tools']);
const { bodies } = useModelProxy(stack);
const agent = applying(stack);

async function ask(name: string, input: object[], text: string, requestContext: Record<string, string> = {}) {
  bodies.length = 0;
  received.length = 0;
  const lists = { input, tools: ['calculator', 'clock', 'search-notes'] };
  const run = await stack.client.start(await agent(name, lists), text, { requestContext });
  const listOffered = () =>
    bodies.map((body) =>
      ['calculator', 'clock', 'search-notes'].filter((tool) => JSON.stringify(body).includes(`"name":"${tool}"`)),
    );
  return { result: await run.result(), listOffered };
}
const call = (name: string, args: object | string) => ({ toolCalls: [{ name, args }] });
const done = { text: 'Done.' };

const injection = [
  {
    use: 'ToolInjectionModifier',
    options: {
      rules: [
        { tools: ['calculator'], pattern: 'how many' },
        { tools: ['search-*'], context: { key: 'plan', equals: 'pro' } },
      ],
    },
  },
];

test('tool-injection offers a tool only if the message or the context needs it', async () => {
  const plain = await ask('injected', injection, script(done));
  expect(plain.listOffered()).toEqual([['clock']]);
  const counting = await ask('injected', injection, `How many? ${script(done)}`, { plan: 'pro' });
  expect(counting.listOffered()).toEqual([['calculator', 'clock', 'search-notes']]);
});

test('a call of a tool that tool-injection does not offer is not made', async () => {
  const { result } = await ask('injected', injection, script(call('search-notes', {}), done));
  expect(received).toEqual([]);
  expect(result.steps?.[0]?.toolResults).toMatchObject([
    { isError: true, result: { error: { code: 'tool-unknown' } } },
  ]);
});

test('tool-parameters changes the arguments that the tool receives, and no byte of the others', async () => {
  const rule = { tools: ['search-*'], defaults: { '/limit': 10 }, set: { '/filter/public': true }, remove: ['/debug'] };
  const input = [{ use: 'ToolParameterModifier', options: { rules: [rule] } }];
  const args = '{"id": 12345678901234567890, "debug": true, "filter": {"public": false, "price": 1.50}}';
  const { result } = await ask('parameters', input, script(call('search-notes', args), done));
  expect(result).toMatchObject({ status: 'finished', text: 'Done.' });
  expect(received).toEqual(['{"id":12345678901234567890,"filter":{"public":true,"price":1.50},"limit":10}']);
});

test('tool-validation judges the changed arguments, and the model reads the reason of a denied call', async () => {
  const rules = [{ tools: ['search-notes'], schema: { type: 'object', properties: { limit: { maximum: 10 } } } }];
  const input = [
    { use: 'tool-parameters', options: { rules: [{ tools: ['search-notes'], set: { '/page': 1 } }] } },
    { use: 'ToolValidationModifier', options: { rules } },
  ];
  const answers = [call('search-notes', { limit: 50 }), call('search-notes', { limit: 5 }), done];
  const { result } = await ask('validated-calls', input, script(...answers));
  const reason = 'The arguments are not accepted: /limit must be <= 10.';
  expect(result.steps?.[0]?.toolResults).toMatchObject([
    { denied: true, result: { reason, code: 'arguments-not-accepted' } },
  ]);
  expect(JSON.stringify(bodies[1])).toContain(reason);
  expect(received).toEqual(['{"limit":5,"page":1}']);
});
