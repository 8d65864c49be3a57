// Runs the conversation through our services: the reference's processors run in a separate process behind the bus.
import type { Client } from '@millrace/client';
import { buildPrompt, type GeneratedConversation } from './conversation.ts';
import type { ModelProxy } from './model-proxy.ts';
import { sentPrompt, toTripwire, type ComparedOutcome } from './outcome.ts';

export async function runOurs(
  client: Client,
  conversation: GeneratedConversation,
  proxy: ModelProxy,
  instructions: string,
): Promise<ComparedOutcome> {
  const { seed, input, output, maxProcessorRetries, earlier } = conversation;
  const agent = `side-${seed}`;
  await client.agents.apply({
    name: agent,
    model: 'openai-chat/stand-in',
    instructions,
    tools: ['echo'],
    input,
    output,
    ...(maxProcessorRetries !== undefined && { maxProcessorRetries }),
  } as never);
  const messages = [...earlier, { role: 'user' as const, text: buildPrompt(conversation) }].map(
    ({ role, text }, at) => ({
      id: `m${at}`,
      role,
      createdAt: '2026-01-01T00:00:00.000Z',
      content: { format: 2 as const, parts: [{ type: 'text' as const, text }] },
    }),
  );
  const run = await client.start(agent, messages as never);
  const result = await run.result();
  return {
    text: result.text,
    tripwire: toTripwire(result.tripwire as never),
    prompts: proxy.listSent(run.runId).map(sentPrompt),
    ...(result.status !== 'finished' &&
      result.status !== 'aborted' && { error: `${result.status} ${JSON.stringify(result.error)}` }),
  };
}
