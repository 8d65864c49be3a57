// A tool call with the name of an inherited member prevents no answer of its run or thread.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildTextMessage, type Message } from '@millrace/contracts';
import { useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { collect } from './collect.ts';
import { script } from './script.ts';

const folder = mkdtempSync(join(tmpdir(), 'millrace-e2e-names-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'message-history'], () => ({ SQLITE_PATH: join(folder, 'memory.db') }));
const MODELS = ['openai/gpt-5-mini', 'openai-chat/gpt-5-mini'];
const NAMES = Object.getOwnPropertyNames(Object.prototype);

beforeAll(async () => {
  for (const [at, model] of MODELS.entries()) {
    const agent = { model, instructions: 'Answer.', memory: { lastMessages: 10 } };
    await stack.client.agents.apply({ ...agent, name: `live-${at}` });
    await stack.client.agents.apply({ ...agent, name: `short-${at}`, maxSteps: 1 });
  }
});

async function ask(agent: string, input: string | Message[], threadId?: string) {
  const run = await stack.client.start(agent, input, threadId === undefined ? {} : { threadId });
  await collect(run);
  return run.result();
}
const calling = (name: string) => ({ toolCalls: [{ name, args: {} }] });
const answered = { status: 'finished', text: 'Hello.' };

describe.each(MODELS.map((model, at) => [model, at] as const))('a tool call of %s', (_, at) => {
  test('the run gets a tool error and its next answer if the model calls it', async () => {
    const asked = NAMES.map((name) => ask(`live-${at}`, script(calling(name), { text: 'Hello.' })));
    for (const result of await Promise.all(asked)) expect(result).toMatchObject(answered);
  });

  test('the next run of the thread answers if the thread holds the call', async () => {
    const startInThread = async (name: string) => {
      const threadId = `thread-${at}-${NAMES.indexOf(name)}`;
      expect(await ask(`short-${at}`, script(calling(name)), threadId)).toMatchObject({ finishReason: 'tool-calls' });
      return ask(`short-${at}`, script({ text: 'Hello.' }), threadId);
    };
    for (const result of await Promise.all(NAMES.map(startInThread))) expect(result).toMatchObject(answered);
  });

  test("the run answers if the user's messages hold the call", async () => {
    const makeHistory = (name: string) => {
      const toolInvocation = { state: 'result' as const, toolCallId: 'c1', toolName: name, args: {}, result: 'noon' };
      const called = buildTextMessage('m1', 'assistant', '');
      const content = { format: 2 as const, parts: [{ type: 'tool-invocation' as const, toolInvocation }] };
      const messages = [{ ...called, content }, buildTextMessage('m2', 'user', script({ text: 'Hello.' }))];
      return ask(`live-${at}`, messages);
    };
    for (const result of await Promise.all(NAMES.map(makeHistory))) expect(result).toMatchObject(answered);
  });
});
