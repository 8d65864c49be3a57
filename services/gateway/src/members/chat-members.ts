// The members of a chat completion: of the request, and of the answer.
import { HONOURED, IGNORED, PASSED, isEmptyList, openSetting, refuse, type MemberGroup } from './member-table.ts';

const CLIENTS_SEND = 'Clients send "tools" instead.';
const isFalse = (value: unknown): boolean => value === false;

const request = {
  name: '',
  table: {
    messages: HONOURED,
    model: HONOURED,
    audio: refuse(),
    frequency_penalty: openSetting('frequencyPenalty'),
    function_call: refuse(CLIENTS_SEND, (value) => value === 'none' || value === 'auto'),
    functions: refuse(CLIENTS_SEND, isEmptyList),
    logit_bias: IGNORED,
    logprobs: refuse(undefined, isFalse),
    max_tokens: openSetting('maxOutputTokens'),
    max_completion_tokens: openSetting('maxOutputTokens'),
    metadata: HONOURED,
    modalities: refuse(undefined, (value) => JSON.stringify(value) === '["text"]'),
    moderation: IGNORED,
    n: refuse('A run has one answer.', (value) => value === 1),
    parallel_tool_calls: HONOURED,
    prediction: IGNORED,
    presence_penalty: openSetting('presencePenalty'),
    prompt_cache_key: IGNORED,
    prompt_cache_options: IGNORED,
    prompt_cache_retention: IGNORED,
    reasoning_effort: IGNORED,
    response_format: HONOURED,
    safety_identifier: HONOURED,
    seed: openSetting('seed'),
    service_tier: IGNORED,
    stop: openSetting('stopSequences'),
    store: IGNORED,
    stream: HONOURED,
    stream_options: HONOURED,
    temperature: openSetting('temperature'),
    tool_choice: HONOURED,
    tools: HONOURED,
    top_logprobs: refuse(undefined, (value) => value === 0),
    top_p: openSetting('topP'),
    user: HONOURED,
    verbosity: IGNORED,
    web_search_options: refuse(),
  },
} as const satisfies MemberGroup;
const streamOptions = {
  name: 'stream_options',
  table: { include_usage: HONOURED, include_obfuscation: IGNORED },
} as const satisfies MemberGroup;
const message = {
  name: 'messages[]',
  table: {
    role: HONOURED,
    content: HONOURED,
    name: PASSED,
    tool_calls: HONOURED,
    tool_call_id: HONOURED,
    refusal: HONOURED,
    annotations: IGNORED,
    audio: refuse('A run has no audio of an earlier answer.'),
    function_call: refuse('Clients send "tool_calls" instead.'),
  },
} as const satisfies MemberGroup;
const part = {
  name: 'messages[].content[]',
  table: {
    type: HONOURED,
    text: HONOURED,
    image_url: HONOURED,
    file: HONOURED,
    refusal: HONOURED,
    input_audio: refuse(),
    prompt_cache_breakpoint: IGNORED,
  },
} as const satisfies MemberGroup;
const imageUrl = { name: 'messages[].content[].image_url', table: { url: PASSED, detail: PASSED } };
const file: MemberGroup = {
  name: 'messages[].content[].file',
  table: { file_data: PASSED, filename: PASSED, file_id: refuse('A run holds no files of a client.') },
} as const satisfies MemberGroup;
const call = {
  name: 'messages[].tool_calls[]',
  table: { id: HONOURED, type: HONOURED, function: HONOURED, index: IGNORED, custom: refuse() },
} as const satisfies MemberGroup;
const calledFunction = {
  name: 'messages[].tool_calls[].function',
  table: { name: PASSED, arguments: PASSED },
} as const satisfies MemberGroup;
const tool = { name: 'tools[]', table: { type: HONOURED, function: HONOURED, custom: refuse() } };
const definition: MemberGroup = {
  name: 'tools[].function',
  table: { name: PASSED, description: PASSED, parameters: PASSED, strict: PASSED },
} as const satisfies MemberGroup;

export const CHAT_GROUPS = {
  request,
  streamOptions,
  message,
  part,
  imageUrl,
  file,
  call,
  calledFunction,
  tool,
  definition,
};

/** The members of an answer. `absent`: no answer has it. */
export type AnswerTable = Readonly<Record<string, 'sent' | 'absent'>>;

export const CHAT_ANSWERS = {
  answer: {
    id: 'sent',
    choices: 'sent',
    created: 'sent',
    model: 'sent',
    object: 'sent',
    usage: 'sent',
    metadata: 'absent',
    moderation: 'absent',
    service_tier: 'absent',
    system_fingerprint: 'absent',
  },
  chunk: {
    id: 'sent',
    choices: 'sent',
    created: 'sent',
    model: 'sent',
    object: 'sent',
    usage: 'sent',
    moderation: 'absent',
    obfuscation: 'absent',
    service_tier: 'absent',
    system_fingerprint: 'absent',
  },
  message: {
    content: 'sent',
    refusal: 'sent',
    role: 'sent',
    tool_calls: 'sent',
    annotations: 'absent',
    audio: 'absent',
    function_call: 'absent',
  },
} as const satisfies Record<string, AnswerTable>;
