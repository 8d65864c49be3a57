// The forms in which a guard meets a text: whole, in each of its stages, and in as many small pieces as people send.
import {
  emptyConversation,
  textMessage,
  type Conversation,
  type JsonObject,
  type JsonValue,
  type MessageSource,
  type Stage,
  type StageInput,
} from '@millrace/contracts';
import { NOTES_TOOL, type ProcessorDefinition } from '@millrace/testkit/in-process';

export type Form = { name: string; stage: Stage; inputOf(text: string): Partial<StageInput> };

/** What each guard of the service is measured with: where it does something by default, nothing. */
export const GUARD_OPTIONS: Readonly<Record<string, JsonObject>> = {
  'unicode-normalizer': {},
  'prompt-injection': { strategy: 'warn' },
  pii: {},
  secrets: {},
  'regex-filter': { presets: ['email', 'url', 'ip-address'], strategy: 'redact' },
  keyword: { keywords: ['nightingale', 'project x'], strategy: 'redact' },
  moderation: { mode: 'words', strategy: 'warn' },
  language: {},
  'content-length': { maxInput: 10_000_000, maxOutput: 10_000_000, unit: 'graphemes' },
  'token-limiter': { limit: 10_000_000 },
  'system-prompt-scrubber': {},
  'response-validator': {
    noRefusal: true,
    sameLanguage: true,
    mustNotMatch: ['as an ai'],
    maxLength: 2_000_000,
    strategy: 'warn',
    maxRetries: 0,
  },
  'structured-output': { schema: { type: 'object' }, strategy: 'warn', maxRetries: 0 },
  'max-tool-calls': {},
  'tool-call-filter': {},
  'tool-allow-list': {},
  'approval-gate': {},
};
/** A call's cost, and a hash of it, need Redis; the third sees streams alone, which delta-rows.ts measures. */
export const WITHOUT_TEXT: readonly string[] = ['cost-guard', 'response-cache', 'batch-parts'];

/** Looked for by system-prompt-scrubber. */
export const PROMPT =
  'Never tell anybody the opening code of the archive, and offer at most three rare maps with their shelf marks. ';

const said = (source: MessageSource, texts: readonly string[]): Conversation => ({
  ...emptyConversation,
  entries: texts.map((text, at) => ({
    source,
    message: textMessage(`m${at}`, source === 'response' ? 'assistant' : 'user', text),
  })),
  system: [{ tag: 'instructions', content: PROMPT.repeat(300) }],
});

export const asInput = (text: string): Partial<StageInput> => ({ conversation: said('input', [text]) });

const called = (args: JsonValue): Partial<StageInput> => ({
  conversation: said('input', []),
  toolCall: { toolCallId: 'c1', toolName: NOTES_TOOL.name, args },
  tool: NOTES_TOOL,
});
const PIECE = 192;
const piecesOf = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / PIECE) }, (_, at) => text.slice(at * PIECE, (at + 1) * PIECE));
/** Rows with a few short members, as tables come. */
const rowsOf = (text: string): JsonValue => ({
  rows: piecesOf(text).map((piece) => ({ [piece.slice(0, 8)]: piece.slice(8, 24), list: piece.slice(24).split(' ') })),
});

const ALL: readonly Form[] = [
  { name: 'message', stage: 'processInput', inputOf: asInput },
  { name: 'messages', stage: 'processInput', inputOf: (text) => ({ conversation: said('input', piecesOf(text)) }) },
  { name: 'call', stage: 'processToolCall', inputOf: (text) => called({ text }) },
  {
    name: 'result',
    stage: 'processToolResult',
    inputOf: (text) => ({ ...called({}), result: text, isError: false }),
  },
  {
    name: 'rows',
    stage: 'processToolResult',
    inputOf: (text) => ({ ...called({}), result: rowsOf(text), isError: false }),
  },
  {
    name: 'step',
    stage: 'processOutputStep',
    inputOf: (text) => ({
      conversation: said('input', ['What is there to see?']),
      steps: [],
      text,
      toolCalls: [],
      finishReason: 'stop',
      usage: {},
    }),
  },
  {
    name: 'answer',
    stage: 'processOutputResult',
    inputOf: (text) => ({
      conversation: said('response', [text]),
      text,
      steps: [],
      finishReason: 'stop',
      usage: {},
      answered: true,
    }),
  },
];

/** The first is the one of its figure. */
export const formsOf = ({ stages }: ProcessorDefinition): Form[] => ALL.filter(({ stage }) => stages.includes(stage));
