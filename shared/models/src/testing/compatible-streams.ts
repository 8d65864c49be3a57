// Event streams of servers that are compatible with OpenAI's chat completions but for some members, with the answer that each of them means. Shapes: the API
// references and recorded answers of these servers.

type Event = object | string;
export type CompatibleStream = {
  events: readonly Event[];
  text: string;
  reasoning?: string;
  /** Name and arguments of each call. */
  calls?: readonly (readonly [string, string])[];
  /** Input and output tokens. */
  usage?: readonly [number, number];
};

const head = { id: 'c1', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'm' };
const choice = (delta: object, finish_reason: string | null = null) => ({
  ...head,
  choices: [{ index: 0, delta, finish_reason }],
});
const usage = { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 };
const DONE = '[DONE]';
const answer = { text: 'It is sunny.', usage: [9, 12] } as const;

export const COMPATIBLE_STREAMS: Readonly<Record<string, CompatibleStream>> = {
  'Mistral with calls without an index': {
    events: [
      choice({ role: 'assistant', content: '' }),
      {
        ...choice(
          {
            tool_calls: [
              { id: 'D681PevKs', function: { name: 'weather', arguments: '{"city": "Oslo"}' } },
              { id: 'D681PevKt', function: { name: 'weather', arguments: '{"city": "Rome"}' } },
            ],
          },
          'tool_calls',
        ),
        usage,
      },
      DONE,
    ],
    text: '',
    calls: [
      ['weather', '{"city": "Oslo"}'],
      ['weather', '{"city": "Rome"}'],
    ],
    usage: [9, 12],
  },
  'Mistral with content as an array of parts': {
    events: [
      choice({ role: 'assistant', content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Look ' }] }] }),
      choice({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'outside.' }] }] }),
      choice({
        content: [
          { type: 'text', text: 'It is ' },
          { type: 'reference', reference_ids: [1] },
        ],
      }),
      choice({ content: 'sunny.' }),
      { ...choice({ content: '' }, 'stop'), usage },
      DONE,
    ],
    ...answer,
    reasoning: 'Look outside.',
  },
  DeepSeek: {
    events: [
      choice({ role: 'assistant', content: null, reasoning_content: '' }),
      choice({ content: null, reasoning_content: 'Look ' }),
      choice({ content: null, reasoning_content: 'outside.' }),
      choice({ content: 'It is ', reasoning_content: null }),
      choice({ content: 'sunny.', reasoning_content: null }),
      choice({ content: '', reasoning_content: null }, 'stop'),
      { ...head, choices: [], usage },
      DONE,
    ],
    ...answer,
    reasoning: 'Look outside.',
  },
  'Ollama with a role and an empty finish reason in each event': {
    events: [
      ...['It is ', 'sunny.'].map((content) => choice({ role: 'assistant', content }, '')),
      choice({ role: 'assistant', content: '' }, 'stop'),
      { ...head, choices: [], usage },
      DONE,
    ],
    ...answer,
  },
  'Ollama with a call without a type': {
    events: [
      choice({
        role: 'assistant',
        content: '',
        tool_calls: [{ id: 'call_1', index: 0, type: '', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }],
      }),
      choice({ role: 'assistant', content: '' }, 'tool_calls'),
      DONE,
    ],
    text: '',
    calls: [['weather', '{"city":"Oslo"}']],
  },
  'vLLM with reasoning under another name, and a choice without an index': {
    events: [
      { ...head, choices: [{ delta: { role: 'assistant', content: '' }, finish_reason: null }] },
      { ...head, choices: [{ delta: { reasoning: 'Look outside.' }, finish_reason: null }] },
      { ...head, choices: [{ delta: { content: 'It is ' }, finish_reason: null }] },
      { ...head, choices: [{ delta: { content: 'sunny.' }, finish_reason: 'stop', stop_reason: null }] },
      { ...head, choices: [], usage },
      DONE,
    ],
    ...answer,
    reasoning: 'Look outside.',
  },
  'a call in pieces without an index and without a second id': {
    events: [
      choice({ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'weather', arguments: '' } }] }),
      choice({ tool_calls: [{ function: { arguments: '{"city":' } }] }),
      choice({ tool_calls: [{ id: '', function: { arguments: '"Oslo"}' } }] }),
      choice({ tool_calls: [{ id: 'b', function: { name: 'clock', arguments: '{}' } }] }),
      choice({}, 'tool_calls'),
      DONE,
    ],
    text: '',
    calls: [
      ['weather', '{"city":"Oslo"}'],
      ['clock', '{}'],
    ],
  },
  'Groq with its own usage and reasoning': {
    events: [
      { ...choice({ role: 'assistant', content: '' }), x_groq: { id: 'req_1' } },
      choice({ reasoning: 'Look outside.' }),
      choice({ content: 'It is sunny.' }),
      { ...choice({}, 'stop'), x_groq: { id: 'req_1', usage } },
      { ...head, choices: [], usage },
      DONE,
    ],
    ...answer,
    reasoning: 'Look outside.',
  },
  'OpenRouter with both forms of reasoning, and an event with the usage alone': {
    events: [
      choice({
        role: 'assistant',
        content: '',
        reasoning: 'Look outside.',
        reasoning_details: [{ type: 'reasoning.text', text: 'Look outside.' }],
      }),
      choice({ role: 'assistant', content: 'It is sunny.', reasoning: null }),
      choice({ role: 'assistant', content: '' }, 'stop'),
      { ...head, usage },
      DONE,
    ],
    ...answer,
    reasoning: 'Look outside.',
  },
  'Azure with filters in events without a choice': {
    events: [
      { ...head, choices: [], prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }] },
      choice({ role: 'assistant', content: '', refusal: null }),
      {
        ...head,
        choices: [{ index: 0, delta: { content: 'It is sunny.' }, finish_reason: null, content_filter_results: {} }],
      },
      choice({}, 'stop'),
      { ...head, choices: [], usage },
      DONE,
    ],
    ...answer,
  },
};
