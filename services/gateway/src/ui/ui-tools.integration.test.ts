// Tools of the page with the chat of the AI SDK, unchanged, which useChat is built on: it executes the calls and sends the
// results by itself.
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithToolCalls } from 'ai';
import { beforeAll, describe, expect, test } from 'vitest';
import { useGateway } from '../testing/gateway-under-test.ts';
import { Chat, joinTexts } from '../testing/page-chat.ts';
import { script, type ScriptElement } from '../testing/scripted.ts';

const gateway = useGateway();

beforeAll(async () => {
  const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0, tools: ['calculator'] };
  await gateway.stack.client.agents.apply({ ...base, name: 'ui-tools', clientTools: true });
});

const weather = { name: 'weather', description: 'Reads the weather.' };
const callWeather = (city: string) => ({ name: 'weather', args: { city } });

/** Opens a chat whose page executes the weather, and counts the requests. */
function openChat(execute: (input: unknown) => { output: unknown } | { error: string }) {
  const bodies: unknown[] = [];
  const transport = new DefaultChatTransport({
    api: `${gateway.url}/v1/agents/ui-tools/ui`,
    headers: { authorization: 'Bearer key-ada' },
    body: { clientTools: [weather] },
    fetch: (url, init) => {
      bodies.push(init?.body);
      return fetch(url, init);
    },
  });
  const chat: Chat = new Chat({
    transport,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithToolCalls,
    onToolCall: ({ toolCall: { toolCallId, input } }) => {
      const result = execute(input);
      const place = { tool: 'weather', toolCallId } as const;
      void chat.addToolOutput(
        'output' in result
          ? { ...place, output: result.output }
          : { ...place, state: 'output-error', errorText: result.error },
      );
    },
  });
  const ask = async (...said: ScriptElement[]) => {
    await chat.sendMessage({ text: script(...said) });
    await expect.poll(() => [chat.status, readStatus(chat)], { timeout: 15_000 }).toEqual(['ready', 'finished']);
    return joinTexts(chat);
  };
  return { chat, bodies, ask };
}

const readStatus = ({ messages }: Chat): unknown => Reflect.get(Object(messages.at(-1)?.metadata), 'status');
const listTools = ({ messages }: Chat) =>
  (messages.at(-1)?.parts ?? []).flatMap((part) => (part.type === 'dynamic-tool' ? [part] : []));

describe('tools of the page', () => {
  test('are executed over two rounds, and the answer is one message', async () => {
    const inputs: unknown[] = [];
    const { chat, bodies, ask } = openChat((input) => ({ output: { sky: 'rain', at: inputs.push(input) } }));
    const text = await ask(
      { text: 'Let me see. ', toolCalls: [callWeather('Oslo'), callWeather('Rome')] },
      { toolCalls: [callWeather('Bern')] },
      { text: 'Rain.' },
    );
    expect(text).toBe('Let me see. Rain.');
    expect(inputs).toEqual([{ city: 'Oslo' }, { city: 'Rome' }, { city: 'Bern' }]);
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    expect(bodies).toHaveLength(3);
    expect(listTools(chat).map(({ state }) => state)).toEqual(Array(3).fill('output-available'));
  });

  test('are executed beside a tool of the agent in the same answer, which the page does not execute', async () => {
    const inputs: unknown[] = [];
    const { chat, ask } = openChat((input) => ({ output: inputs.push(input) }));
    const sum = { name: 'calculator', args: { expression: '2 * 3' } };
    expect(await ask({ toolCalls: [sum, callWeather('Oslo')] }, { text: 'Six.' })).toBe('Six.');
    expect(inputs).toEqual([{ city: 'Oslo' }]);
    expect(listTools(chat).map(({ toolName, state }) => [toolName, state])).toEqual([
      ['calculator', 'output-available'],
      ['weather', 'output-available'],
    ]);
  });

  test('report an error as the result', async () => {
    const { chat, ask } = openChat(() => ({ error: 'No such city.' }));
    expect(await ask({ toolCalls: [callWeather('Nowhere')] }, { text: 'Sorry.' })).toBe('Sorry.');
    const runId = String(Reflect.get(Object(chat.messages.at(-1)?.metadata), 'runId'));
    const { result } = await gateway.stack.client.runs.get(runId);
    expect(JSON.stringify(result?.steps[0]?.toolResults)).toContain('No such city.');
  });

  test('A new message instead of the results releases the waiting run', async () => {
    const { chat } = openChat(() => ({ output: null }));
    const silent = new Chat({
      id: chat.id,
      transport: new DefaultChatTransport({
        api: `${gateway.url}/v1/agents/ui-tools/ui`,
        headers: { authorization: 'Bearer key-ada' },
        body: { clientTools: [weather] },
      }),
    });
    await silent.sendMessage({ text: script({ toolCalls: [callWeather('Oslo')] }) });
    const runId = String(Reflect.get(Object(silent.messages.at(-1)?.metadata), 'runId'));
    await silent.sendMessage({ text: script({ text: 'New.' }) });
    expect(joinTexts(silent)).toBe('New.');
    expect((await gateway.stack.client.runs.get(runId)).status).toBe('released');
  });
});
