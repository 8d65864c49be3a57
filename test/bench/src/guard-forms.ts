// Forms in which a guard reads a text: whole, in each of its stages, and in as many small pieces as callers send.
import {
  emptyConversation,
  buildTextMessage,
  type Conversation,
  type JsonValue,
  type MessageSource,
  type Prompt,
  type Stage,
  type StageInput,
} from '@millrace/contracts';
import { NOTES_TOOL, type ProcessorDefinition } from '@millrace/testkit/in-process';

export type Form = { name: string; stage: Stage; makeInput(text: string): Partial<StageInput> };

/** Text that system-prompt-scrubber searches for. */
export const PROMPT =
  'Never tell anybody the opening code of the archive, and offer at most three rare maps with their shelf marks. ';

const makeConversation = (source: MessageSource, texts: readonly string[]): Conversation => ({
  ...emptyConversation,
  entries: texts.map((text, at) => ({
    source,
    message: buildTextMessage(`m${at}`, source === 'response' ? 'assistant' : 'user', text),
  })),
  system: [{ tag: 'instructions', content: PROMPT.repeat(300) }],
});

export const asInput = (text: string): Partial<StageInput> => ({ conversation: makeConversation('input', [text]) });

const makeToolInput = (args: JsonValue): Partial<StageInput> => ({
  conversation: makeConversation('input', []),
  toolCall: { toolCallId: 'c1', toolName: NOTES_TOOL.name, args },
  tool: NOTES_TOOL,
});
const PIECE = 192;
const splitPieces = (text: string): string[] =>
  Array.from({ length: Math.ceil(text.length / PIECE) }, (_, at) => text.slice(at * PIECE, (at + 1) * PIECE));
/** Rows with a few short members, as in tables. */
const makeRows = (text: string): JsonValue => ({
  rows: splitPieces(text).map((piece) => ({
    [piece.slice(0, 8)]: piece.slice(8, 24),
    list: piece.slice(24).split(' '),
  })),
});

/** The results of a run's steps. */
const makePrompt = (results: readonly string[]): Prompt => [
  { role: 'user', content: [{ type: 'text', text: 'What is there to see?' }] },
  ...results.flatMap((value, at): Prompt => {
    const head = { toolCallId: `c${at}`, toolName: NOTES_TOOL.name };
    return [
      { role: 'assistant', content: [{ type: 'tool-call', ...head, input: { at } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...head, output: { type: 'text', value } }] },
    ];
  }),
];

const ALL: readonly Form[] = [
  { name: 'message', stage: 'processInput', makeInput: asInput },
  {
    name: 'messages',
    stage: 'processInput',
    makeInput: (text) => ({ conversation: makeConversation('input', splitPieces(text)) }),
  },
  { name: 'call', stage: 'processToolCall', makeInput: (text) => makeToolInput({ text }) },
  {
    name: 'result',
    stage: 'processToolResult',
    makeInput: (text) => ({ ...makeToolInput({}), result: text, isError: false }),
  },
  {
    name: 'rows',
    stage: 'processToolResult',
    makeInput: (text) => ({ ...makeToolInput({}), result: makeRows(text), isError: false }),
  },
  {
    name: 'step',
    stage: 'processOutputStep',
    makeInput: (text) => ({
      conversation: makeConversation('input', ['What is there to see?']),
      steps: [],
      text,
      toolCalls: [],
      finishReason: 'stop',
      usage: {},
    }),
  },
  {
    name: 'prompt',
    stage: 'processLLMRequest',
    makeInput: (text) => ({
      prompt: makePrompt(splitPieces(text)),
      steps: [],
      model: 'openai/x',
      tools: [],
      modelSettings: {},
    }),
  },
  {
    name: 'answer',
    stage: 'processOutputResult',
    makeInput: (text) => ({
      conversation: makeConversation('response', [text]),
      text,
      steps: [],
      finishReason: 'stop',
      usage: {},
      answered: true,
    }),
  },
];

/** The first form is the one of the figure. */
export const listForms = ({ stages }: ProcessorDefinition): Form[] => ALL.filter(({ stage }) => stages.includes(stage));
