// One model call, whichever API it came by. Chat completions and responses both turn into this, so that scripts and
// answers are written once and behave the same on both.
import type { JsonObject } from './json.ts';

export type ToolCall = { readonly id: string; readonly name: string; readonly arguments: string };

export type Turn =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly ToolCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };

/** A function that the model may call; `parameters` is the JSON Schema of its arguments. */
export type Tool = { readonly name: string; readonly description: string; readonly parameters: JsonObject };

export type ToolChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export type AnswerFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly schema: JsonObject };

export type Conversation = {
  readonly turns: readonly Turn[];
  readonly tools: readonly Tool[];
  readonly toolChoice: ToolChoice;
  readonly parallelToolCalls: boolean;
  readonly format: AnswerFormat;
};

export type ModelCall = {
  readonly model: string;
  readonly stream: boolean;
  readonly conversation: Conversation;
  readonly maxOutputTokens: number | undefined;
  readonly stopSequences: readonly string[];
  /** The field that holds the conversation: errors about its content name it (`messages` or `input`). */
  readonly conversationField: string;
};

const lastUserIndex = (turns: readonly Turn[]): number => turns.findLastIndex((turn) => turn.role === 'user');

/** The last thing that the user said, or an empty text. */
export const lastUserText = (turns: readonly Turn[]): string => turns[lastUserIndex(turns)]?.text ?? '';

/** What has happened since the user last spoke: the calls and results of this question's earlier steps. */
export const sinceLastUser = (turns: readonly Turn[]): readonly Turn[] => turns.slice(lastUserIndex(turns) + 1);
