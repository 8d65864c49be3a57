// The members of a response: of the request, and of the answer.
import {
  HONOURED,
  IGNORED,
  PASSED,
  openSetting,
  refuse,
  type MemberGroup,
  type PlacedMembers,
} from './member-table.ts';
import { getMember, listItems, type AnswerTable } from './chat-members.ts';

const request = {
  name: '',
  table: {
    input: HONOURED,
    model: HONOURED,
    access_programs: IGNORED,
    background: HONOURED,
    context_management: IGNORED,
    conversation: HONOURED,
    image: IGNORED,
    include: IGNORED,
    instructions: HONOURED,
    max_output_tokens: openSetting('maxOutputTokens'),
    max_tool_calls: IGNORED,
    metadata: HONOURED,
    moderation: IGNORED,
    parallel_tool_calls: HONOURED,
    previous_response_id: HONOURED,
    prompt: refuse('The agent defines it.'),
    prompt_cache_key: IGNORED,
    prompt_cache_options: IGNORED,
    prompt_cache_retention: IGNORED,
    reasoning: IGNORED,
    safety_identifier: HONOURED,
    service_tier: IGNORED,
    store: HONOURED,
    stream: HONOURED,
    stream_options: IGNORED,
    temperature: openSetting('temperature'),
    text: HONOURED,
    tool_choice: HONOURED,
    tools: HONOURED,
    top_logprobs: IGNORED,
    top_p: openSetting('topP'),
    truncation: IGNORED,
    user: HONOURED,
  },
} as const satisfies MemberGroup;
const text = { name: 'text', table: { format: HONOURED, verbosity: IGNORED } };
/** Items of all types; the schema of the request refuses other types. */
const item: MemberGroup = {
  name: 'input[]',
  table: {
    type: HONOURED,
    role: HONOURED,
    content: HONOURED,
    phase: IGNORED,
    arguments: PASSED,
    call_id: HONOURED,
    name: PASSED,
    id: HONOURED,
    output: PASSED,
    async: IGNORED,
    caller: IGNORED,
    namespace: IGNORED,
    status: IGNORED,
    approval_request_id: HONOURED,
    approve: HONOURED,
    reason: HONOURED,
  },
} as const satisfies MemberGroup;
const part = {
  name: 'input[].content[]',
  table: {
    type: HONOURED,
    text: HONOURED,
    refusal: HONOURED,
    annotations: IGNORED,
    logprobs: IGNORED,
    image_url: PASSED,
    detail: PASSED,
    file_data: PASSED,
    file_url: PASSED,
    filename: PASSED,
    file_id: refuse('A run holds no files of a client.'),
    prompt_cache_breakpoint: IGNORED,
  },
} as const satisfies MemberGroup;
const tool = {
  name: 'tools[]',
  table: {
    type: HONOURED,
    name: PASSED,
    description: PASSED,
    parameters: PASSED,
    strict: PASSED,
    allowed_callers: IGNORED,
    async: IGNORED,
    defer_loading: IGNORED,
    output_schema: IGNORED,
  },
} as const satisfies MemberGroup;

export const RESPONSE_GROUPS = { request, text, item, part, tool };

/** Yields the objects of a request, each with its table. */
export function* listResponseMembers(body: Readonly<Record<string, unknown>>): Generator<PlacedMembers> {
  yield { group: request, path: '', value: body };
  yield { group: text, path: 'text', value: body['text'] };
  for (const [at, one] of listItems(body['tools'])) yield { group: tool, path: `tools[${at}]`, value: one };
  for (const [at, one] of listItems(body['input'])) {
    // Items of earlier responses: the thread has them.
    if (SENT_BACK.has(String(getMember(one, 'type')))) continue;
    yield { group: item, path: `input[${at}]`, value: one };
    for (const [place, inner] of listItems(getMember(one, 'content')))
      yield { group: part, path: `input[${at}].content[${place}]`, value: inner };
  }
}

const SENT_BACK: ReadonlySet<string> = new Set(['reasoning', 'mcp_call', 'mcp_list_tools', 'mcp_approval_request']);

export const RESPONSE_ANSWERS = {
  answer: {
    id: 'sent',
    created_at: 'sent',
    error: 'sent',
    incomplete_details: 'sent',
    instructions: 'sent',
    metadata: 'sent',
    model: 'sent',
    object: 'sent',
    output: 'sent',
    parallel_tool_calls: 'sent',
    temperature: 'sent',
    tool_choice: 'sent',
    tools: 'sent',
    top_p: 'sent',
    background: 'sent',
    completed_at: 'sent',
    conversation: 'sent',
    previous_response_id: 'sent',
    status: 'sent',
    usage: 'sent',
    access_programs: 'absent',
    image: 'absent',
    input_transformations: 'absent',
    max_output_tokens: 'sent',
    max_tool_calls: 'absent',
    moderation: 'absent',
    output_text: 'absent',
    prompt: 'absent',
    prompt_cache_diagnostics: 'absent',
    prompt_cache_key: 'absent',
    prompt_cache_options: 'absent',
    prompt_cache_retention: 'absent',
    reasoning: 'sent',
    safety_identifier: 'absent',
    service_tier: 'absent',
    text: 'sent',
    tool_usage: 'absent',
    top_logprobs: 'absent',
    truncation: 'sent',
    user: 'absent',
  },
} as const satisfies Record<string, AnswerTable>;
