// Counts the requests of each unchanged client after an accepted run has failed, and the runs of the agent.
import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { ChatOpenAI } from '@langchain/openai';
import { generateText, streamText, type LanguageModel } from 'ai';
import OpenAI from 'openai';
import { beforeAll, describe, expect, test } from 'vitest';
import { applyClientAgents, clientAgents } from '../../testing/client-agents.ts';
import { postJson, useGateway } from '../../testing/gateway-under-test.ts';
import { script } from '../../testing/scripted.ts';

const gateway = useGateway();
const { open: agent } = clientAgents;
beforeAll(() => applyClientAgents(gateway.stack.client.agents));

/** The run calls a tool, and fails at its second call of the model. */
const failing = (name: string): string =>
  script(
    { text: `For ${name}.`, toolCalls: [{ name: 'calculator', args: { expression: '1+1' } }] },
    { error: { status: 400, message: 'The provider refuses.' } },
  );

let attempts = 0;
const countFetch: typeof fetch = (url, init) => {
  attempts += 1;
  return fetch(url, init);
};
const target = () => ({ apiKey: 'key-ada', baseURL: `${gateway.url}/v1`, fetch: countFetch });
const connectAiSdk = () => createOpenAI(target());
const connectCompatible = () => createOpenAICompatible({ name: 'millrace', ...target() });
const connectOpenAi = () => new OpenAI(target());
const connectLangChain = (useResponsesApi: boolean) => {
  const { apiKey, ...configuration } = target();
  return new ChatOpenAI({ model: agent, apiKey, maxRetries: 2, useResponsesApi, configuration });
};

async function readStream(model: LanguageModel, prompt: string): Promise<string> {
  const failures: unknown[] = [];
  const { textStream } = streamText({ model, prompt, onError: ({ error }) => void failures.push(error) });
  let text = '';
  for await (const part of textStream) text += part;
  if (failures.length > 0) throw failures[0];
  return text;
}

type Ask = (prompt: string) => Promise<unknown>;
const generate = (model: LanguageModel, prompt: string) => generateText({ model, prompt });
/** With the number of attempts. A response with a call of the agent is an answer with the status failed. */
const CLIENTS: [string, Ask, number][] = [
  [
    'openai, chat completions',
    (content) => connectOpenAi().chat.completions.create({ model: agent, messages: [{ role: 'user', content }] }),
    1,
  ],
  ['openai, responses', (input) => connectOpenAi().responses.create({ model: agent, input }), 1],
  ['@ai-sdk/openai, chat completions', (prompt) => generate(connectAiSdk().chat(agent), prompt), 3],
  ['@ai-sdk/openai, responses', (prompt) => generate(connectAiSdk().responses(agent), prompt), 1],
  ['@ai-sdk/openai-compatible', (prompt) => generate(connectCompatible()(agent), prompt), 3],
  ['@langchain/openai, chat completions', (prompt) => connectLangChain(false).invoke(prompt), 3],
  ['@langchain/openai, responses', (prompt) => connectLangChain(true).invoke(prompt), 1],
];

const listRuns = async () =>
  (await gateway.stack.client.runs.list({ subject: 'ada', agent, newest: true, limit: 100 })).runs;

/** Returns the statuses of the runs that the request has started. */
async function listOwn(ask: () => Promise<unknown>): Promise<string[]> {
  const before = new Set((await listRuns()).map(({ runId }) => runId));
  attempts = 0;
  await ask().catch(() => undefined);
  return (await listRuns()).flatMap(({ runId, status }) => (before.has(runId) ? [] : [status]));
}

describe('a run that fails after its acceptance', () => {
  test.each(CLIENTS)(
    '%s gets the error of the one run in each attempt',
    { timeout: 30_000 },
    async (name, ask, count) => {
      expect(await listOwn(() => ask(failing(name)))).toEqual(['failed']);
      expect(attempts).toBe(count);
    },
  );

  test('The stream of the AI SDK gets the error of the one run', { timeout: 30_000 }, async () => {
    const silent = script({ error: { status: 400, message: 'The provider refuses.' } });
    for (const model of [connectAiSdk().chat(agent), connectAiSdk().responses(agent), connectCompatible()(agent)]) {
      expect(await listOwn(() => readStream(model, silent))).toEqual(['failed']);
      expect(attempts).toBe(3);
    }
  });

  test('An Idempotency-Key runs the agent again for the same body', async () => {
    const body = { model: agent, messages: [{ role: 'user', content: failing('curl') }] };
    const ask = (headers?: Record<string, string>) =>
      gateway.fetch('/v1/chat/completions', 'key-ada', postJson(body, headers));
    const runs = [];
    for (const headers of [undefined, undefined, { 'idempotency-key': crypto.randomUUID() }])
      runs.push((await ask(headers)).headers.get('x-millrace-run-id'));
    expect(runs[1]).toBe(runs[0]);
    expect(runs[2]).not.toBe(runs[0]);
  });
});
