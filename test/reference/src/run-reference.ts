// Runs a conversation in the reference's own process: its agent, its runner, the same processors.
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';
import { createOpenAI } from '@ai-sdk/openai';
import { z } from 'zod';
import { buildPrompt, type GeneratedConversation, type Use } from './conversation.ts';
import { echoText } from './echo.ts';
import type { ModelProxy } from './model-proxy.ts';
import { sentPrompt, toTripwire, type ComparedOutcome } from './outcome.ts';
import { makeTheirs } from './reference-processors.ts';

const echo = createTool({
  id: 'echo',
  description: 'Says it again.',
  inputSchema: z.strictObject({ text: z.string() }),
  execute: async ({ text }) => echoText(text),
});

let runs = 0;

export async function runTheirs(
  conversation: GeneratedConversation,
  proxy: ModelProxy,
  instructions: string,
): Promise<ComparedOutcome> {
  const run = `theirs-${runs++}`;
  let calls = 0;
  const countingFetch: typeof fetch = (url, init) => {
    const headers = new Headers(init?.headers);
    headers.set('X-Client-Request-Id', `${run}.${++calls}`);
    return fetch(url, { ...init, headers });
  };
  const provider = createOpenAI({ apiKey: 'stand-in', baseURL: proxy.url, fetch: countingFetch });
  // A processor in both lists is one object.
  const made = new Map<string, ReturnType<typeof makeTheirs>>();
  const processors = (uses: Use[]) =>
    uses.map(({ use, options }) => {
      const processor = made.get(use) ?? makeTheirs(use, options);
      made.set(use, processor);
      return processor;
    });
  const { input, output, maxProcessorRetries, earlier } = conversation;
  const agent = new Agent({
    id: 'side',
    name: 'side',
    instructions,
    model: provider.chat('stand-in') as never,
    tools: { echo },
    inputProcessors: processors(input) as never,
    outputProcessors: processors(output) as never,
    ...(maxProcessorRetries !== undefined && { maxProcessorRetries }),
  });
  try {
    const messages = [
      ...earlier.map(({ role, text }) => ({ role, content: text })),
      { role: 'user' as const, content: buildPrompt(conversation) },
    ];
    const stream = await agent.stream(messages as never, { maxSteps: 5 });
    for await (const chunk of stream.fullStream)
      if (chunk.type === 'error') throw new Error(JSON.stringify(chunk.payload));
    return {
      text: (await stream.text) ?? '',
      ofAllSteps: (await stream.steps).map(({ text }) => text).join(''),
      tripwire: toTripwire(stream.tripwire as never),
      prompts: proxy.listSent(run).map(sentPrompt),
    };
  } catch (error) {
    return { text: '', tripwire: undefined, prompts: proxy.listSent(run).map(sentPrompt), error: String(error) };
  }
}
