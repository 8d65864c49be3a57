// Checks with files: each protocol of checks with each value of `files`. No answer reports a file as clean that no guard has read.
import { buildTextMessage, type JsonObject, type Message, type MessagePart } from '@millrace/contracts';
import { useNats, useProcessors, useStack } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { seeing } from './file-processors.ts';
import { createUserKey, listGatewayUrls } from './gateways.ts';

const nats = useNats();
const stack = useStack(nats, ['orchestrator', 'guardrails', 'auth', 'gateway'], () => ({ GATEWAY_PORT: '0' }));
useProcessors(nats, [seeing]);

type File = Extract<MessagePart, { type: 'file' }>;
const WORD = 'forbidden';
const FILES: Record<string, File> = {
  image: { type: 'file', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
  document: { type: 'file', mimeType: 'application/pdf', data: 'JVBERi0xLjQ=' },
  sound: { type: 'file', mimeType: 'audio/wav', data: 'UklGRg==' },
  'URL of an image': { type: 'file', mimeType: 'image/png', data: 'https://example.com/a.png' },
  'image of a text type': { type: 'file', mimeType: 'text/plain', data: 'iVBORw0KGgo=' },
  text: { type: 'file', mimeType: 'text/plain', data: btoa('A plain text.') },
  'forbidden text': { type: 'file', mimeType: 'text/plain', data: btoa(WORD) },
};
/** refused: an error or a block that names the file. unjudged: the answer names it. */
type Outcome = 'refused' | 'unjudged' | 'clean' | 'blocked';
type CheckedAgent = { guarded: boolean; files?: string; sees?: JsonObject };
const AGENTS: Record<string, CheckedAgent> = {
  'guarded-default': { guarded: true },
  'guarded-refuse': { guarded: true, files: 'refuse' },
  'guarded-text': { guarded: true, files: 'text' },
  'guarded-pass': { guarded: true, files: 'pass' },
  'plain-default': { guarded: false },
  'judged-images': { guarded: true, sees: { kinds: ['image'] } },
  'judged-pass': { guarded: true, files: 'pass', sees: { kinds: ['image'] } },
  'judged-rejecting': { guarded: false, sees: { kinds: ['image'], rejects: 'iVBORw0KGgo=' } },
  'judged-failing': { guarded: false, sees: { kinds: ['image'], fails: true } },
};
let url = '';
let key = '';
beforeAll(async () => {
  [url = ''] = await listGatewayUrls(stack);
  ({ key } = await createUserKey(stack, 'ada'));
  const guard = { use: 'keyword', options: { keywords: [WORD] } };
  for (const [name, { guarded, files, sees }] of Object.entries(AGENTS)) {
    const judge = sees && { use: 'seeing', options: sees, onFailure: 'skip' };
    const input = [...(guarded ? [guard] : []), ...(judge ? [judge] : [])];
    await stack.client.agents.apply({ name, model: 'openai/gpt-5-mini', input, ...(files && { files }) });
  }
});

const post = async (path: string, body: object): Promise<string> => {
  const response = await fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return response.text();
};
const makeMessages = (file: File): Message[] => [
  { ...buildTextMessage('m1', 'user', ''), content: { format: 2, parts: [{ type: 'text', text: 'Look.' }, file] } },
];
const makeUrl = ({ data, mimeType }: File) => (data.startsWith('http') ? data : `data:${mimeType};base64,${data}`);
const LITELLM = '/beta/litellm_basic_guardrail_api';
const askLiteLlm = (agent: string, more: object) =>
  post(`/v1/agents/${agent}${LITELLM}`, { input_type: 'request', texts: ['Look.'], ...more });
const listContent = (file: File) => {
  const { mimeType } = file;
  if (mimeType.startsWith('image/')) return [{ type: 'image_url', image_url: { url: makeUrl(file) } }];
  if (mimeType.startsWith('audio/')) return [{ type: 'input_audio', input_audio: { data: file.data, format: 'wav' } }];
  return [{ type: 'file', file: { filename: 'a', file_data: makeUrl(file) } }];
};

type Ask = (agent: string, file: File) => Promise<string>;
const PART = 'messages[0].content.parts[1]';
/** Protocols with a place for content that was not judged. */
const REPORTING: Record<string, Ask> = {
  'the verb check': (agent, file) =>
    stack.client.check({ agent, direction: 'input', messages: makeMessages(file) }).then(
      (answer) => JSON.stringify(answer),
      (error: unknown) => JSON.stringify(error),
    ),
  'the check of the own API': (agent, file) =>
    post(`/v1/agents/${agent}/check`, { direction: 'input', messages: makeMessages(file) }),
};
/** Protocols without one, with the path of a file that no processor has judged. */
const REFUSING: Record<string, [ask: Ask, path: string]> = {
  'images of LiteLLM': [(agent, file) => askLiteLlm(agent, { images: [makeUrl(file)] }), 'images[0]'],
  'images of LiteLLM without a text': [
    (agent, file) => askLiteLlm(agent, { texts: [], images: [makeUrl(file)] }),
    'images[0]',
  ],
  'images of an answer of LiteLLM': [
    (agent, file) => askLiteLlm(agent, { input_type: 'response', images: [makeUrl(file)] }),
    'images[0]',
  ],
  'messages of LiteLLM': [
    (agent, file) => askLiteLlm(agent, { structured_messages: [{ role: 'user', content: listContent(file) }] }),
    'structured_messages[0].content[0]',
  ],
  'results of tools of LiteLLM': [
    (agent, file) => {
      const content = [{ type: 'tool_result', content: listContent(file) }];
      return askLiteLlm(agent, {
        structured_messages: [
          { role: 'user', content: 'Hi.' },
          { role: 'user', content },
        ],
      });
    },
    'structured_messages[1].content[0].content[0]',
  ],
  'outputs of functions of LiteLLM': [
    (agent, file) => {
      const output = { type: 'function_call_output', call_id: 'a', output: listContent(file) };
      return askLiteLlm(agent, { structured_messages: [output, { role: 'user', content: 'Hi.' }] });
    },
    'structured_messages[0].output[0]',
  ],
  'outputs of functions in messages of LiteLLM': [
    (agent, file) => {
      const content = [{ type: 'function_call_output', call_id: 'a', output: listContent(file) }];
      return askLiteLlm(agent, { structured_messages: [{ role: 'user', content }] });
    },
    'structured_messages[0].content[0].output[0]',
  ],
  moderations: [
    (model, file) => post('/v1/moderations', { model, input: [{ type: 'text', text: 'Look.' }, ...listContent(file)] }),
    'input',
  ],
};

const chooseOutcome = (agent: string, name: string): Outcome => {
  const {
    guarded,
    sees,
    files = sees ? 'judged' : guarded ? 'refuse' : 'pass',
  }: CheckedAgent = AGENTS[agent] ?? {
    guarded: false,
  };
  const isText = name.endsWith('text');
  if (sees && name === 'image') return sees['fails'] ? 'refused' : sees['rejects'] ? 'blocked' : 'clean';
  if (files === 'judged' && !isText) return 'refused';
  if (files === 'refuse' || (files === 'text' && !isText)) return 'refused';
  if (!isText) return 'unjudged';
  return guarded && name === 'forbidden text' ? 'blocked' : 'clean';
};
function readOutcome(answer: string): Outcome | undefined {
  const { code, path, action, unjudged } = JSON.parse(answer);
  if (code === 'run-refused' && path === PART) return 'refused';
  if (action === 'block') return 'blocked';
  if (action !== 'pass') return undefined;
  return unjudged === undefined ? 'clean' : unjudged[0] === PART ? 'unjudged' : undefined;
}
const CASES = Object.keys(AGENTS).flatMap((agent) =>
  Object.entries(FILES).map(([name, file]) => [agent, name, file] as const),
);

describe.each(Object.entries(REPORTING))('%s', (_door, ask) => {
  test.each(CASES)('of the agent %s refuses, judges or reports: %s', async (agent, name, file) => {
    expect(readOutcome(await ask(agent, file))).toBe(chooseOutcome(agent, name));
  });
});

/** Whether the protocol has a form for the file. An answer of LiteLLM is judged without images. */
const isSent = (door: string, name: string): boolean =>
  !door.startsWith('images of an answer') && (door !== 'moderations' || name === 'image');

function readJudged(answer: string, path: string): Outcome | undefined {
  const { action, blocked_reason: reason, results, error } = JSON.parse(answer);
  if (results) return results[0].flagged ? 'blocked' : 'clean';
  if (action === 'NONE') return 'clean';
  if (action === 'BLOCKED') return reason.startsWith(`${path} is a file`) ? 'refused' : 'blocked';
  return error.type === 'invalid_request_error' && error.param.startsWith(path) ? 'refused' : undefined;
}

describe.each(Object.entries(REFUSING))('%s', (door, [ask, path]) => {
  test.each(CASES)('of the agent %s are judged, or refused by their path: %s', async (agent, name, file) => {
    const outcome = chooseOutcome(agent, name);
    const isJudged = isSent(door, name) && outcome !== 'unjudged';
    expect(readJudged(await ask(agent, file), path)).toBe(isJudged ? outcome : 'refused');
  });
});

test('A file that a processor removes is named, and the check is no pass', async () => {
  const input = [{ use: 'seeing', options: { kinds: ['image'], drops: 'iVBORw0KGgo=' } }];
  await stack.client.agents.apply({ name: 'judged-dropping', model: 'openai/gpt-5-mini', input });
  const [image] = Object.values(FILES);
  const messages = image
    ? makeMessages(image).map((one) => ({ ...one, content: { format: 2 as const, parts: [image] } }))
    : [];
  const check = stack.client.check({ agent: 'judged-dropping', direction: 'input', messages });
  expect(await check).toMatchObject({ action: 'changed', unjudged: ['messages[0].content.parts[0]'] });
  const answer = await askLiteLlm('judged-dropping', { images: image ? [makeUrl(image)] : [] });
  expect(JSON.parse(answer)).toMatchObject({ action: 'BLOCKED', blocked_reason: expect.stringContaining('images[0]') });
});

test('A request of LiteLLM with texts, calls and results in its messages passes', async () => {
  const structured_messages = [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'text', text: 'Hi.' }] },
    { role: 'assistant', content: null, tool_calls: [] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: 'Sun.' }] }] },
    { type: 'function_call_output', call_id: 'b', output: [{ type: 'input_text', text: 'Sun.' }] },
    { type: 'function_call_output', call_id: 'c', output: 'Sun.' },
  ];
  expect(JSON.parse(await askLiteLlm('guarded-default', { structured_messages, images: [] }))).toMatchObject({
    action: 'NONE',
  });
});

test.each<[string, JsonObject, object]>([
  ['passes', {}, { action: 'pass' }],
  ['blocks', { rejects: 'iVBORw0KGgo=' }, { action: 'block' }],
])('A processor that judges files, and is tried alone, %s an image', async (_name, more, outcome) => {
  const options = { kinds: ['image'], ...more };
  const messages = FILES['image'] ? makeMessages(FILES['image']) : [];
  expect(await stack.client.processors.try({ processor: 'seeing', options, messages })).toMatchObject(outcome);
});

test.each(Object.entries(FILES).filter(([name]) => !name.endsWith('text')))(
  'A processor that is tried alone refuses: %s',
  async (_name, file) => {
    const tried = stack.client.processors.try({
      processor: 'keyword',
      options: { keywords: [WORD] },
      messages: makeMessages(file),
    });
    await expect(tried).rejects.toMatchObject({ code: 'run-refused', path: PART });
  },
);
