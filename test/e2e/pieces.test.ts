// Pieces of the model's text on their way to the client: merged if they arrive together, by option for up to 50 ms, and
// never for agents that forward the provider's events.
import type { Chunk } from '@millrace/contracts';
import { useSharedStack } from '@millrace/testkit';
import { beforeAll, expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import { script } from './script.ts';

const stack = useSharedStack();
const PIECES = 60;
const text = Array.from({ length: PIECES }, (_, at) => `w${String(at).padStart(2, '0')} `).join('');
const MODELS = ['openai/gpt-5-mini', 'openai-chat/gpt-5-mini'];

beforeAll(async () => {
  for (const [at, model] of MODELS.entries()) {
    const agent = { model, instructions: 'Answer.' };
    await stack.client.agents.apply({ ...agent, name: `plain-${at}` });
    await stack.client.agents.apply({ ...agent, name: `raw-${at}`, raw: true });
    await stack.client.agents.apply({ ...agent, name: `at-once-${at}`, flushMs: 0 });
    await stack.client.agents.apply({ ...agent, name: `gathered-${at}`, flushMs: 50 });
  }
});

async function ask(agent: string, delayMs: number): Promise<Chunk[]> {
  const chunks = await collect(await stack.client.start(agent, script({ text, chunkSize: 4, delayMs })));
  expect(joinText(chunks)).toBe(text);
  return chunks.filter(({ type }) => type === 'text-delta');
}

test.each(MODELS.map((model, at) => [model, at]))('%s: pieces that arrive together are sent as one', async (_, at) => {
  expect((await ask(`plain-${at}`, 0)).length).toBeLessThan(PIECES / 4);
});

test.each(MODELS.map((model, at) => [model, at]))(
  '%s: an agent with `raw` or `flushMs: 0` gets each piece',
  async (_, at) => {
    expect(await ask(`raw-${at}`, 0)).toHaveLength(PIECES);
    expect(await ask(`at-once-${at}`, 0)).toHaveLength(PIECES);
  },
);

test.each(MODELS.map((model, at) => [model, at]))(
  '%s: `flushMs` merges pieces that arrive separately',
  async (_, at) => {
    const [gathered, apart] = [await ask(`gathered-${at}`, 10), await ask(`at-once-${at}`, 10)];
    expect(apart.length).toBeGreaterThan(gathered.length);
    // The first piece does not wait. On a busy machine the next one arrives in the same read.
    expect(gathered[0]).toMatchObject({ payload: { text: expect.stringMatching(/^w00 (?:w01 )?$/) } });
  },
);

test('an agent with a `flushMs` over 50 is rejected', async () => {
  const apply = stack.client.agents.apply({ name: 'slow', model: 'openai/gpt-5-mini', flushMs: 51 });
  await expect(apply).rejects.toMatchObject({ code: 'agent-invalid' });
});
