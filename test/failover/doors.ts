// Asks an agent over each protocol, and reads the answer as an unchanged client of the protocol does.
import { parseJsonEventStream, readUIMessageStream, uiMessageChunkSchema, type UIMessageChunk } from 'ai';
import type { TestStack } from '@millrace/testkit';
import OpenAI from 'openai';
import { z } from 'zod';

/** `model`: the one that answered, if the protocol names it. An `error` ends the answer: the client knows that its text is incomplete. */
export type DoorAnswer = { text: string; error?: string; model?: string; outputTokens?: number };
export type Door = 'NATS' | 'the own API' | 'chat completions' | 'responses' | 'useChat';
export const DOORS: readonly Door[] = ['NATS', 'the own API', 'chat completions', 'responses', 'useChat'];

export type Target = { url: string; key: string };

export function askDoor(door: Door, stack: TestStack, target: Target, agent: string): Promise<DoorAnswer> {
  switch (door) {
    case 'NATS':
      return askClient(stack, agent);
    case 'the own API':
      return askOwnApi(target, agent);
    case 'chat completions':
      return askChat(target, agent);
    case 'responses':
      return askResponses(target, agent);
    case 'useChat':
      return askUi(target, agent);
  }
}

const readError = (error: unknown): string => (error instanceof Error ? error.message : JSON.stringify(error));

async function askClient(stack: TestStack, agent: string): Promise<DoorAnswer> {
  const { text, error, steps, usage } = await stack.client.generate(agent, 'Go.');
  const model = steps.at(-1)?.model;
  return {
    text,
    ...(error && { error: error.message }),
    ...(model !== undefined && { model }),
    ...(usage.outputTokens !== undefined && { outputTokens: usage.outputTokens }),
  };
}

const post = ({ url, key }: Target, path: string, body: object) =>
  fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const ownAnswerSchema = z.object({
  text: z.string(),
  error: z.object({ message: z.string() }).optional(),
  steps: z.array(z.object({ model: z.string() })).optional(),
});

async function askOwnApi(target: Target, agent: string): Promise<DoorAnswer> {
  const response = await post(target, `/v1/agents/${agent}/runs?wait=60`, { input: 'Go.' });
  const { text, error, steps } = ownAnswerSchema.parse(await response.json());
  const model = steps?.at(-1)?.model;
  return { text, ...(model !== undefined && { model }), ...(error && { error: error.message }) };
}

const connect = ({ url, key }: Target) => new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });

async function askChat(target: Target, agent: string): Promise<DoorAnswer> {
  let text = '';
  try {
    const stream = await connect(target).chat.completions.create({
      model: agent,
      messages: [{ role: 'user', content: 'Go.' }],
      stream: true,
    });
    for await (const { choices } of stream) text += choices[0]?.delta.content ?? '';
    return { text };
  } catch (error) {
    return { text, error: readError(error) };
  }
}

async function askResponses(target: Target, agent: string): Promise<DoorAnswer> {
  try {
    const stream = await connect(target).responses.create({ model: agent, input: 'Go.', stream: true });
    for await (const event of stream) {
      if (event.type === 'response.completed')
        return { text: event.response.output_text || readOutput(event.response) };
      if (event.type === 'response.failed') return { text: '', error: readError(event.response.error) };
      if (event.type === 'error') return { text: '', error: event.message };
    }
    return { text: '', error: 'The stream has no end.' };
  } catch (error) {
    return { text: '', error: readError(error) };
  }
}

const readOutput = ({ output }: OpenAI.Responses.Response): string =>
  output
    .flatMap((item) => (item.type === 'message' && item.status !== 'incomplete' ? item.content : []))
    .map((part) => (part.type === 'output_text' ? part.text : ''))
    .join('');

async function askUi(target: Target, agent: string): Promise<DoorAnswer> {
  const messages = [{ id: 'm1', role: 'user', parts: [{ type: 'text', text: 'Go.' }] }];
  const response = await post(target, `/v1/agents/${agent}/ui`, { id: crypto.randomUUID(), messages });
  if (!response.ok || !response.body) return { text: '', error: await response.text() };
  let failure: string | undefined;
  const chunks = parseJsonEventStream({ stream: response.body, schema: uiMessageChunkSchema }).pipeThrough(
    new TransformStream({
      transform(parsed, controller: TransformStreamDefaultController<UIMessageChunk>) {
        if (!parsed.success) throw parsed.error;
        if (parsed.value.type === 'error') failure = parsed.value.errorText;
        controller.enqueue(parsed.value);
      },
    }),
  );
  let text = '';
  const onError = (error: unknown) => void (failure ??= readError(error));
  for await (const { parts } of readUIMessageStream({ stream: chunks, onError }))
    text = parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
  return { text, ...(failure !== undefined && { error: failure }) };
}
