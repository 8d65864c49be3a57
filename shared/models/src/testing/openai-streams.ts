// Event streams of OpenAI's two APIs as its servers send them, one list of events each: the usual forms, and those that a reader of plain deltas
// must leave alone. Shapes: https://platform.openai.com/docs/api-reference/chat/streaming and /responses/streaming

type Event = object | string;
export type RecordedStream = { name: string; model: string; events: readonly Event[] };

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm', usage: null };
const choice = (delta: object, finish_reason: string | null = null, more: object = {}) => ({
  ...head,
  choices: [{ index: 0, delta, logprobs: null, finish_reason, ...more }],
});
const words = (text: string) => text.split(/(?<= )/);
const say = (text: string) => words(text).map((content) => choice({ content }));
const opened = choice({ role: 'assistant', content: '', refusal: null });
const stop = choice({}, 'stop');
const usage = { ...head, choices: [], usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 } };
const DONE = '[DONE]';
const args = (index: number, piece: string) => choice({ tool_calls: [{ index, function: { arguments: piece } }] });
const call = (index: number, name: string) =>
  choice({ tool_calls: [{ index, id: `call_${index}`, type: 'function', function: { name, arguments: '' } }] });
const buildToken = (content: string) => ({ token: content, logprob: -0.1, bytes: null, top_logprobs: [] });
const annotation = {
  type: 'url_citation',
  url_citation: { start_index: 0, end_index: 3, url: 'https://example.com', title: 'Example' },
};
const pad = (text: string) =>
  words(text).map((content, at) => ({ ...choice({ content }), obfuscation: 'x'.repeat(at % 5) }));

const CHAT: Record<string, readonly Event[]> = {
  text: [opened, ...say('The quick brown fox jumps over the lazy dog.'), stop, usage, DONE],
  'text without a finish': [opened, ...say('The dose is 5')],
  'text with padding': [opened, ...pad('The quick brown fox.'), stop, DONE],
  'text with surrogate pairs and escapes': [opened, ...say('"quoted" \\ 😀 \u0000 line\nbreak ünï '), stop, DONE],
  'text with a role in each event': [
    ...words('One two three.').map((content) => choice({ role: 'assistant', content })),
    stop,
  ],
  'an empty delta between': [opened, ...say('One two '), choice({ content: '' }), ...say('three four.'), stop],
  'a tool call': [
    opened,
    call(0, 'clock'),
    args(0, '{"zone"'),
    args(0, ':"U'),
    args(0, 'TC"}'),
    choice({}, 'tool_calls'),
  ],
  'text and two tool calls': [
    opened,
    ...say('Let me look.'),
    call(0, 'clock'),
    args(0, '{"a":1}'),
    call(1, 'search'),
    args(1, '{"q":'),
    args(1, '"x"}'),
    choice({}, 'tool_calls'),
    usage,
    DONE,
  ],
  'a refusal': [opened, choice({ refusal: 'I cannot ' }), choice({ refusal: 'do that.' }), stop, usage, DONE],
  'text and a refusal': [opened, ...say('Well, '), choice({ content: 'no: ', refusal: 'I cannot.' }), stop],
  'log probabilities': [
    opened,
    choice({ content: 'One ' }, null, { logprobs: { content: [buildToken('One ')], refusal: null } }),
    choice({ content: 'two' }, null, { logprobs: { content: [buildToken('two')], refusal: null } }),
    stop,
  ],
  'several choices': [
    opened,
    ...words('One two three.').flatMap((content) => [
      { ...head, choices: [{ index: 0, delta: { content }, finish_reason: null }] },
      { ...head, choices: [{ index: 1, delta: { content: `${content}!` }, finish_reason: null }] },
    ]),
    stop,
  ],
  'two choices in one event': [
    opened,
    {
      ...head,
      choices: [
        { index: 0, delta: { content: 'One ' } },
        { index: 1, delta: { content: 'Two ' } },
      ],
    },
    ...say('three.'),
    stop,
  ],
  annotations: [opened, ...say('See this. '), choice({ annotations: [annotation] }), ...say('And that.'), stop],
  'ids that change': [
    opened,
    ...words('One two three four.').map((content, at) => ({ ...choice({ content }), id: `chatcmpl-${at >> 1}` })),
    stop,
  ],
  'metadata behind the text': [
    { choices: [{ index: 0, delta: { content: 'One ' } }] },
    { choices: [{ index: 0, delta: { content: 'two ' } }] },
    ...say('three.'),
    stop,
  ],
  'an error in the middle': [
    opened,
    ...say('One two three'),
    { error: { message: 'The server is overloaded.', type: 'server_error', code: null, param: null } },
  ],
  'an error at the start': [
    { error: { message: 'No quota.', type: 'insufficient_quota', code: 'insufficient_quota' } },
  ],
  'an event that is no JSON': [opened, ...say('One two '), '{"choices":[', ...say('three.'), stop],
  'an event of another shape': [opened, ...say('One two '), { hello: 'world' }, ...say('three.'), stop],
  'a delta of another type': [opened, ...say('One '), choice({ content: 7 }), ...say('two.'), stop],
  'an unknown member': [opened, ...words('One two three.').map((content) => choice({ content, mood: 'calm' })), stop],
  'content filtered': [opened, ...say('One two'), choice({}, 'content_filter'), DONE],
  'the finish in the last delta': [opened, ...say('One two '), choice({ content: 'three.' }, 'length'), usage],
  nothing: [],
};

const response = { id: 'resp_1', object: 'response', created_at: 1_700_000_000, model: 'm', status: 'in_progress' };
const message = { type: 'message', id: 'msg_1', role: 'assistant', status: 'in_progress', content: [] };
let sequence = 0;
const event = (type: string, more: object = {}) => ({ type, sequence_number: sequence++, ...more });
const place = (more: object = {}) => ({ item_id: 'msg_1', output_index: 0, content_index: 0, ...more });
const buildCreated = () => [event('response.created', { response }), event('response.in_progress', { response })];
const itemAdded = (item: object, output_index = 0) => event('response.output_item.added', { output_index, item });
const itemDone = (item: object, output_index = 0) => event('response.output_item.done', { output_index, item });
const buildSpoken = (text: string, more: object = {}) =>
  words(text).map((delta, at) =>
    event('response.output_text.delta', { ...place(), delta, logprobs: [], obfuscation: 'y'.repeat(at % 4), ...more }),
  );
const buildCompleted = (type = 'response.completed', more: object = {}) =>
  event(type, {
    response: {
      ...response,
      status: 'completed',
      service_tier: 'default',
      usage: { input_tokens: 9, output_tokens: 12, output_tokens_details: { reasoning_tokens: 3 } },
      ...more,
    },
  });
const messageDone = (more: object = {}) => itemDone({ ...message, status: 'completed', ...more });
const reasoning = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: null };
const thought = (text: string, summary_index = 0) =>
  words(text).map((delta) =>
    event('response.reasoning_summary_text.delta', { item_id: 'rs_1', output_index: 0, summary_index, delta }),
  );
const summaryPart = (kind: string, summary_index: number) =>
  event(`response.reasoning_summary_part.${kind}`, {
    item_id: 'rs_1',
    output_index: 0,
    summary_index,
    part: { type: 'summary_text', text: '' },
  });
const functionCall = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'clock', arguments: '' };
const argsDelta = (delta: string) =>
  event('response.function_call_arguments.delta', { item_id: 'fc_1', output_index: 0, delta });
const citation = { type: 'url_citation', start_index: 0, end_index: 3, url: 'https://example.com', title: 'Example' };

const RESPONSES: Record<string, readonly Event[]> = {
  text: [
    ...buildCreated(),
    itemAdded(message),
    ...buildSpoken('The quick brown fox jumps.'),
    messageDone(),
    buildCompleted(),
    DONE,
  ],
  'text without an end': [...buildCreated(), itemAdded(message), ...buildSpoken('The dose is 5')],
  'text cut by the limit': [
    ...buildCreated(),
    itemAdded(message),
    ...buildSpoken('One two'),
    buildCompleted('response.incomplete', { incomplete_details: { reason: 'max_output_tokens' } }),
  ],
  reasoning: [
    ...buildCreated(),
    itemAdded(reasoning),
    summaryPart('added', 0),
    ...thought('First I think.'),
    summaryPart('done', 0),
    summaryPart('added', 1),
    ...thought('Then I think again.', 1),
    summaryPart('done', 1),
    itemDone(reasoning),
    itemAdded(message, 1),
    ...buildSpoken('Then I speak.', { output_index: 1 }),
    itemDone({ ...message, status: 'completed' }, 1),
    buildCompleted(),
  ],
  'a function call': [
    ...buildCreated(),
    itemAdded(functionCall),
    argsDelta('{"zone"'),
    argsDelta(':"UTC"'),
    argsDelta('}'),
    event('response.function_call_arguments.done', { item_id: 'fc_1', output_index: 0, arguments: '{"zone":"UTC"}' }),
    itemDone({ ...functionCall, arguments: '{"zone":"UTC"}', status: 'completed' }),
    buildCompleted(),
  ],
  'a refusal': [
    ...buildCreated(),
    itemAdded(message),
    event('response.refusal.delta', { ...place(), delta: 'I cannot ' }),
    event('response.refusal.delta', { ...place(), delta: 'do that.' }),
    event('response.refusal.done', { ...place(), refusal: 'I cannot do that.' }),
    messageDone(),
    buildCompleted(),
  ],
  annotations: [
    ...buildCreated(),
    itemAdded(message),
    ...buildSpoken('See this. '),
    event('response.output_text.annotation.added', { ...place(), annotation_index: 0, annotation: citation }),
    ...buildSpoken('And that.'),
    messageDone(),
    buildCompleted(),
  ],
  'log probabilities': [
    ...buildCreated(),
    itemAdded(message),
    ...buildSpoken('One two three.', { logprobs: [{ token: 'One', logprob: -0.1, top_logprobs: [] }] }),
    messageDone(),
    buildCompleted(),
  ],
  'two messages': [
    ...buildCreated(),
    itemAdded(message),
    ...buildSpoken('One two.'),
    messageDone(),
    itemAdded({ ...message, id: 'msg_2' }, 1),
    ...buildSpoken('Three four.', { item_id: 'msg_2', output_index: 1 }),
    itemDone({ ...message, id: 'msg_2', status: 'completed' }, 1),
    buildCompleted(),
  ],
  'item ids that change': [
    ...buildCreated(),
    itemAdded(message),
    ...words('One two three four.').map((delta, at) =>
      event('response.output_text.delta', { ...place({ item_id: `rotated_${at >> 1}` }), delta }),
    ),
    messageDone(),
    buildCompleted(),
  ],
  'unknown events': [
    ...buildCreated(),
    itemAdded(message),
    ...buildSpoken('One two '),
    event('response.mood.delta', { ...place(), delta: 'calm' }),
    ...buildSpoken('three.'),
    event('response.output_text.done', { ...place(), text: 'One two three.' }),
    messageDone(),
    buildCompleted(),
  ],
  'an error in the middle': [
    ...buildCreated(),
    itemAdded(message),
    ...buildSpoken('One two'),
    event('error', { code: 'server_error', message: 'The server is overloaded.', param: null }),
  ],
  'a failure in the middle': [
    ...buildCreated(),
    itemAdded(message),
    ...buildSpoken('One two'),
    event('response.failed', {
      response: { ...response, status: 'failed', error: { code: 'server_error', message: 'Broken.' } },
    }),
  ],
  'chat completions in its place': [opened, ...say('One two three.'), stop],
  nothing: [],
};

const nameStreams = (model: string, streams: Record<string, readonly Event[]>): RecordedStream[] =>
  Object.entries(streams).map(([name, events]) => ({ name, model, events }));

export const OPENAI_STREAMS: readonly RecordedStream[] = [
  ...nameStreams('openai-chat/m', CHAT),
  ...nameStreams('openai/m', RESPONSES),
];
