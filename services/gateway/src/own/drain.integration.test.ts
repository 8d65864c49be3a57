// A gateway that drains cancels no run: streams that can be rejoined end at once, and chat completions finish.
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { script } from '../testing/scripted.ts';
import { postJson, readEvents, useGateway } from '../testing/gateway-under-test.ts';

const gateway = useGateway();
const agent = 'drained';
const input = script({ text: 'One two three four five six seven eight.', chunkSize: 2, delayMs: 40 });

beforeAll(() =>
  gateway.stack.client.agents.apply({ name: agent, model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 }),
);

test('A drain ends the streams of the own API without an end, finishes chat completions and cancels nothing', async () => {
  const events = postJson({ input }, { accept: 'text/event-stream' });
  const own = await gateway.fetch(`/v1/agents/${agent}/runs`, 'key-ada', events);
  const body = { model: agent, stream: true, messages: [{ role: 'user', content: input }] };
  const chat = await gateway.fetch('/v1/chat/completions', 'key-ada', postJson(body));
  gateway.drain();
  const seen = await readEvents(own);
  expect(seen.some(({ event }) => event === 'end')).toBe(false);
  const text = (await readEvents(chat)).map(({ data }) => readDelta(data)).join('');
  expect(text).toBe('One two three four five six seven eight.');
  const runId = own.headers.get('x-millrace-run-id') ?? '';
  const run = await gateway.stack.client.follow(runId);
  expect(await run.result()).toMatchObject({ status: 'finished' });
});

const chunkSchema = z.object({ choices: z.array(z.object({ delta: z.object({ content: z.string() }) })) });
const readDelta = (data: string): string =>
  data === '[DONE]' ? '' : (chunkSchema.safeParse(JSON.parse(data)).data?.choices[0]?.delta.content ?? '');
