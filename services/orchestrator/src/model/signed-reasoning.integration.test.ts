// Reasoning that a provider has signed, from its stream to the request of the next step.
import type { Chunk, Prompt } from '@millrace/contracts';
import { createModels } from '@millrace/models';
import { startByteProvider, STREAM_SIGNATURE, streamAnswer } from '@millrace/models/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createAnswerBuilder } from './answer-builder.ts';
import type { ModelCallOptions } from './prompt.ts';
import { streamModel } from './model-stream.ts';
import { buildReasoningPart, keepSealed } from './reasoning-seal.ts';

const USER = { role: 'user', content: [{ type: 'text', text: 'Hello?' }] } as const;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as the orchestrator does
const toSent = (prompt: Prompt) => prompt as unknown as ModelCallOptions['prompt'];

async function answerBy(kind: 'openai' | 'anthropic' | 'google') {
  const server = await startByteProvider();
  onTestFinished(() => server.close());
  server.answer({ pieces: streamAnswer(kind, { reasoning: 'Let me see.', text: 'Hi.' }) });
  const provider = { kind, baseUrl: server.baseUrl, apiKey: 'k', headers: {}, promptCache: true };
  const models = createModels({ providers: new Map([['p', provider]]) });
  const model = models.createLanguageModel('p/m', { joinsDeltas: true });
  const builder = createAnswerBuilder('run-1.0');
  const take = (chunks: Chunk[]) => chunks.forEach((chunk) => builder.add(chunk));
  const signal = new AbortController().signal;
  const end = await streamModel(model, { prompt: toSent([USER]) }, 'run-1', signal, take, { modelId: 'p/m' });
  expect(end).toMatchObject({ finishReason: 'stop' });
  const { parts } = builder.buildMessage().content;
  const content = parts.flatMap((part) =>
    part.type === 'reasoning'
      ? buildReasoningPart(part)
      : part.type === 'text'
        ? [{ type: 'text', text: part.text }]
        : [],
  );
  return {
    content,
    async ask(sent: Prompt) {
      await streamModel(model, { prompt: toSent(sent) }, 'run-1', signal, () => undefined, { modelId: 'p/m' });
      return server.bodies.at(-1) ?? '';
    },
  };
}

test.each(['openai', 'anthropic', 'google'] as const)(
  'Reasoning that %s has signed returns to it with its signature, and not after a change',
  async (kind) => {
    const { content, ask } = await answerBy(kind);
    const prompt = (parts: readonly object[]): Prompt => [USER, { role: 'assistant', content: parts }, USER];
    const sent = await ask(keepSealed(prompt(content), 'p/m'));
    expect(sent).toContain(STREAM_SIGNATURE);
    expect(sent).toContain('Let me see.');
    const changed = content.map((part) => (part.type === 'reasoning' ? { ...part, text: 'Let me lie.' } : part));
    const dropped = await ask(keepSealed(prompt(changed), 'p/m'));
    expect(dropped).not.toContain(STREAM_SIGNATURE);
    expect(dropped).not.toContain('Let me lie.');
  },
);
