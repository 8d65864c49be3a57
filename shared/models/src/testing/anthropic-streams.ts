// Event streams of Anthropic's Messages API: the usual forms, and those that a reader of plain deltas must leave alone. Shapes:
// https://docs.anthropic.com/en/api/messages-streaming
import type { RecordedStream } from './openai-streams.ts';

type Event = { type: string; [member: string]: unknown };

const opened: Event = {
  type: 'message_start',
  message: {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'm',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 12, cache_read_input_tokens: 4, cache_creation_input_tokens: 0, output_tokens: 1 },
  },
};
const end = (reason = 'end_turn'): Event[] => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage: { output_tokens: 9 } },
  { type: 'message_stop' },
];
const ping: Event = { type: 'ping' };
const begin = (index: number, content_block: object): Event => ({ type: 'content_block_start', index, content_block });
const close = (index: number): Event => ({ type: 'content_block_stop', index });
const change = (index: number, delta: object): Event => ({ type: 'content_block_delta', index, delta });
const words = (text: string) => text.split(/(?<= )/);
const say = (index: number, text: string): Event[] =>
  words(text).map((piece) => change(index, { type: 'text_delta', text: piece }));
const think = (index: number, text: string): Event[] =>
  words(text).map((piece) => change(index, { type: 'thinking_delta', thinking: piece }));
const block = (index: number, ...events: Event[]): Event[] => [
  begin(index, { type: 'text', text: '' }),
  ...events,
  close(index),
];
const thought = (index: number, ...events: Event[]): Event[] => [
  begin(index, { type: 'thinking', thinking: '', signature: '' }),
  ...events,
  close(index),
];
const sign = (index: number) => change(index, { type: 'signature_delta', signature: 'c2lnbmVk' });
const call = (index: number): Event[] => [
  begin(index, { type: 'tool_use', id: 'toolu_1', name: 'look', input: {} }),
  ...['{"city":', '"Os', 'lo"}'].map((partial_json) => change(index, { type: 'input_json_delta', partial_json })),
  close(index),
];
const cite = (index: number) =>
  change(index, {
    type: 'citations_delta',
    citation: {
      type: 'web_search_result_location',
      cited_text: 'fox',
      url: 'https://example.com',
      title: 'Example',
      encrypted_index: 'e',
    },
  });

const STREAMS: Readonly<Record<string, readonly Event[]>> = {
  text: [opened, ...block(0, ...say(0, 'The quick brown fox jumps over the lazy dog.')), ...end()],
  'text with a ping between': [opened, ping, ...block(0, ...say(0, 'One two '), ping, ...say(0, 'three.')), ...end()],
  'text with surrogate pairs and escapes': [
    opened,
    ...block(0, ...say(0, '"quoted" \\ 😀 \u0000 line\nbreak ünï ')),
    ...end(),
  ],
  'two blocks of text': [opened, ...block(0, ...say(0, 'One two. ')), ...block(1, ...say(1, 'Three four.')), ...end()],
  'an empty delta between': [
    opened,
    ...block(0, ...say(0, 'One two '), change(0, { type: 'text_delta', text: '' }), ...say(0, 'three.')),
    ...end(),
  ],
  'a text of the start': [
    opened,
    begin(0, { type: 'text', text: 'Begun ' }),
    ...say(0, 'and said.'),
    close(0),
    ...end(),
  ],
  'signed thinking and text': [
    opened,
    ...thought(0, ...think(0, 'Let me think about it.'), sign(0)),
    ...block(1, ...say(1, 'Here it is.')),
    ...end(),
  ],
  'redacted thinking': [
    opened,
    begin(0, { type: 'redacted_thinking', data: 'ZGF0YQ==' }),
    close(0),
    ...block(1, ...say(1, 'Here it is.')),
    ...end(),
  ],
  'text and a call': [opened, ...block(0, ...say(0, 'I will look. ')), ...call(1), ...end('tool_use')],
  'text with citations': [opened, ...block(0, ...say(0, 'The fox '), cite(0), ...say(0, 'and more.')), ...end()],
  'an unknown member in a delta': [
    opened,
    ...block(
      0,
      ...say(0, 'One two '),
      change(0, { type: 'text_delta', text: 'odd ', style: 'bold' }),
      ...say(0, 'three.'),
    ),
    ...end(),
  ],
  'an unknown delta': [
    opened,
    ...block(0, ...say(0, 'One '), change(0, { type: 'sound_delta', sound: 'x' }), ...say(0, 'two.')),
    ...end(),
  ],
  'an error in the stream': [
    opened,
    begin(0, { type: 'text', text: '' }),
    ...say(0, 'The dose '),
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  ],
  'an error first': [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
  'text without an end': [opened, begin(0, { type: 'text', text: '' }), ...say(0, 'The dose is 5')],
  'text up to the limit': [opened, ...block(0, ...say(0, 'The dose is')), ...end('max_tokens')],
};

export const ANTHROPIC_STREAMS: readonly RecordedStream[] = Object.entries(STREAMS).map(([name, events]) => ({
  name,
  model: 'anthropic/m',
  events,
}));
