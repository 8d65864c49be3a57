// Answers of a page in any message of the chat, with the chat of the AI SDK, unchanged, if its requests have that form.
import { DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, type UIMessage } from 'ai';
import { beforeAll, describe, expect, test } from 'vitest';
import { postJson, useGateway } from '../testing/gateway-under-test.ts';
import { Chat, joinTexts } from '../testing/page-chat.ts';
import { script } from '../testing/scripted.ts';

const gateway = useGateway();
const agent = 'ui-answers';

beforeAll(async () => {
  const base = {
    model: 'openai/gpt-5-mini',
    instructions: 'Answer.',
    flushMs: 0,
    input: [{ use: 'approval-gate', options: { tools: ['send-feedback'] } }],
    questions: ['approval-gate'],
    clientTools: true,
  };
  const { agents } = gateway.stack.client;
  await agents.apply({ ...base, name: agent, tools: [{ use: 'send-feedback', whenUntrusted: 'allow' }] });
  await agents.apply({ ...base, name: 'ui-operated', tools: ['send-feedback'] });
});

const openChat = (key = 'key-ada', id: string = crypto.randomUUID(), of = agent): Chat =>
  new Chat({
    id,
    transport: new DefaultChatTransport({
      api: `${gateway.url}/v1/agents/${of}/ui`,
      headers: { authorization: `Bearer ${key}` },
      body: { clientTools: [{ name: 'weather', description: 'Reads the weather.' }] },
    }),
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });

const feedback = (text: string) => ({ name: 'send-feedback', args: { text } });
const askFeedback = (text: string, then: string) => script({ toolCalls: [feedback(text)] }, { text: then });
const askWeather = (city: string, then: string) =>
  script({ toolCalls: [{ name: 'weather', args: { city } }] }, { text: then });

const readRunId = (message: UIMessage | undefined): string => String(Reflect.get(Object(message?.metadata), 'runId'));
const readStatus = async (message: UIMessage | undefined) =>
  (await gateway.stack.client.runs.get(readRunId(message))).status;
const waitForStatus = (message: UIMessage | undefined, status: string) =>
  expect.poll(() => readStatus(message), { timeout: 10_000 }).toBe(status);

const readApproval = ({ messages }: Chat, at: number): string => {
  const part = messages.at(at)?.parts.find(({ type }) => type === 'dynamic-tool');
  if (part?.type !== 'dynamic-tool' || part.state !== 'approval-requested') throw new Error(JSON.stringify(part));
  return part.approval.id;
};
const listCalls = (message: UIMessage | undefined) =>
  (message?.parts ?? []).flatMap((part) => (part.type === 'dynamic-tool' ? [part] : []));

const getMessage = ({ messages }: Chat, at: number): UIMessage => {
  const message = messages[at];
  if (!message) throw new Error(`The chat has no message ${at}.`);
  return message;
};

/** Sets the answers in a message without a request. */
function answerSilently(
  chat: Chat,
  at: number,
  change: (part: UIMessage['parts'][number]) => UIMessage['parts'][number],
) {
  const message = getMessage(chat, at);
  chat.messages = chat.messages.with(at, { ...message, parts: message.parts.map(change) });
}
const approveSilently = (chat: Chat, at: number, approved = true) =>
  answerSilently(chat, at, (part) =>
    part.type === 'dynamic-tool' && part.state === 'approval-requested'
      ? { ...part, state: 'approval-responded', approval: { id: part.approval.id, approved } }
      : part,
  );

describe('decisions of a page', () => {
  test('An approval in an earlier message continues that message, after another message and its answer', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: askFeedback('Good.', 'Sent.') });
    await chat.sendMessage({ text: script({ text: 'Meanwhile.' }) });
    expect(chat.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant']);
    await chat.addToolApprovalResponse({ id: readApproval(chat, 1), approved: true });
    await chat.sendMessage();
    expect([chat.status, chat.error]).toEqual(['ready', undefined]);
    expect(chat.messages.map((_message, at) => joinTexts(chat, at))).toEqual([
      expect.any(String),
      'Sent.',
      expect.any(String),
      'Meanwhile.',
    ]);
    expect(listCalls(chat.messages[1])).toMatchObject([{ state: 'output-available' }]);
    expect(await readStatus(chat.messages[1])).toBe('finished');
  });

  test('An approval in front of a new message reaches its run, and the new message has a run of its own', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: askFeedback('Good.', 'Sent.') });
    approveSilently(chat, 1);
    await chat.sendMessage({ text: script({ text: 'New.' }) });
    expect(joinTexts(chat)).toBe('New.');
    await waitForStatus(chat.messages[1], 'finished');
    const { result } = await gateway.stack.client.runs.get(readRunId(chat.messages[1]));
    expect(result?.text).toBe('Sent.');
    expect(readRunId(chat.messages[3])).not.toBe(readRunId(chat.messages[1]));
  });

  test('Decisions for three runs reach each of them with its own decision', async () => {
    const chat = openChat();
    for (const text of ['One.', 'Two.', 'Three.']) await chat.sendMessage({ text: askFeedback(text, `After ${text}`) });
    approveSilently(chat, 1);
    approveSilently(chat, 3, false);
    await chat.addToolApprovalResponse({ id: readApproval(chat, 5), approved: true });
    await expect.poll(() => joinTexts(chat), { timeout: 10_000 }).toBe('After Three.');
    for (const at of [1, 3, 5]) await waitForStatus(chat.messages[at], 'finished');
    const readCall = async (at: number) => {
      const { result } = await gateway.stack.client.runs.get(readRunId(chat.messages[at]));
      return result?.steps[0]?.toolResults[0];
    };
    expect(JSON.stringify(await readCall(1))).not.toContain('"denied":true');
    expect(JSON.stringify(await readCall(3))).toContain('"denied":true');
  });

  test('A decision that was taken is no error: another page reads the rest, and a new message runs', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: askFeedback('Good.', 'Sent.') });
    const other = openChat('key-ada', chat.id);
    const stale = openChat('key-ada', chat.id);
    other.messages = structuredClone(chat.messages);
    stale.messages = structuredClone(chat.messages);
    approveSilently(stale, 1);
    for (const page of [chat, other]) {
      await page.addToolApprovalResponse({ id: readApproval(page, 1), approved: true });
      await expect.poll(() => joinTexts(page), { timeout: 10_000 }).toBe('Sent.');
      expect(page.error).toBeUndefined();
    }
    await stale.sendMessage({ text: script({ text: 'Next.' }) });
    expect([joinTexts(stale), stale.error]).toEqual(['Next.', undefined]);
    expect((await gateway.stack.client.runs.list({ threadId: chat.id })).runs).toHaveLength(2);
  });

  test('A decision in an earlier message of a run of another subject has no effect', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: askFeedback('Good.', 'Sent.') });
    approveSilently(chat, 1);
    const ofBob = openChat('key-bob', chat.id);
    ofBob.messages = structuredClone(chat.messages);
    await ofBob.sendMessage({ text: script({ text: 'Of Bob.' }) });
    expect(await readStatus(chat.messages[1])).toBe('suspended');
  });
});

test('A decision that was taken is refused while its run waits for an operator, so that no page repeats it for ever', async () => {
  const chat = openChat('key-ada', undefined, 'ui-operated');
  await chat.sendMessage({ text: script({ text: 'Text of a model is untrusted.' }) });
  await chat.sendMessage({ text: askFeedback('Good.', 'Sent.') });
  await chat.addToolApprovalResponse({ id: readApproval(chat, 3), approved: true });
  await expect.poll(() => chat.error?.message, { timeout: 10_000 }).toContain('does not wait for these decisions');
  expect(chat.messages[3]?.parts.map(({ type }) => type)).toContain('data-approval-pending');
});

describe('results of the tools of a page', () => {
  const giveSilently = (chat: Chat, at: number, output: unknown) =>
    answerSilently(chat, at, (part) =>
      part.type === 'dynamic-tool' && part.state === 'input-available'
        ? { ...part, state: 'output-available', output }
        : part,
    );

  test('Results in front of a new message reach the run that asked, which is not released', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: askWeather('Oslo', 'Rain.') });
    giveSilently(chat, 1, { sky: 'rain' });
    await chat.sendMessage({ text: script({ text: 'New.' }) });
    expect(joinTexts(chat)).toBe('New.');
    await waitForStatus(chat.messages[1], 'finished');
    const { result } = await gateway.stack.client.runs.get(readRunId(chat.messages[1]));
    expect(JSON.stringify(result?.steps[0]?.toolResults)).toContain('rain');
  });

  test('Results of two runs in one request reach the run of their own call ids', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: askWeather('Oslo', 'Rain.') });
    const first = getMessage(chat, 1);
    await chat.sendMessage({ text: askFeedback('Good.', 'Sent.') });
    await waitForStatus(first, 'released');
    const again = openChat('key-ada', chat.id);
    await again.sendMessage({ text: askWeather('Rome', 'Sun.') });
    giveSilently(again, 1, { sky: 'sun' });
    const second = getMessage(again, 1);
    const mixed = { ...second, parts: [...first.parts.slice(-1), ...second.parts.slice(-1)] };
    again.messages = [...chat.messages.slice(0, 1), mixed];
    await again.sendMessage();
    expect([joinTexts(again), again.error]).toEqual(['Sun.', undefined]);
  });

  test('A request without a result in its last message is refused with the number of the missing ones, and the run waits on', async () => {
    const chat = openChat();
    await chat.sendMessage({ text: askWeather('Oslo', 'Rain.') });
    await chat.sendMessage();
    expect(chat.error?.message).toContain('waits for 1 results');
    expect(await readStatus(chat.messages[1])).toBe('suspended');
    giveSilently(chat, 1, 'rain');
    await chat.sendMessage();
    expect(joinTexts(chat)).toBe('Rain.');
  });
});

test('An id of 201 characters in messageId is refused', async () => {
  const body = { id: 'bound', messages: [{ id: '1', role: 'user', parts: [] }], messageId: 'x'.repeat(201) };
  const response = await gateway.fetch(`/v1/agents/${agent}/ui`, 'key-ada', postJson(body));
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('messageId')]);
});
