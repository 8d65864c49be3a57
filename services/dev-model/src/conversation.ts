// One model call of either API. Chat completions and responses are both converted to it, so that scripts and canned
// exchanges behave the same on both.
import type { UnknownObject } from './json.ts';

type TurnCall = { readonly id: string; readonly name: string; readonly arguments: string };

export type ModelTurn =
  | { readonly role: 'system'; readonly text: string }
  | { readonly role: 'user'; readonly text: string }
  | { readonly role: 'assistant'; readonly text: string; readonly toolCalls: readonly TurnCall[] }
  | { readonly role: 'tool'; readonly callId: string; readonly text: string };

/** A function that the model may call; `parameters` is the JSON Schema of its arguments. */
type OfferedTool = { readonly name: string; readonly description: string; readonly parameters: UnknownObject };

export type OfferedChoice = 'auto' | 'none' | 'required' | { readonly name: string };

export type AnswerFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | { readonly type: 'json_schema'; readonly schema: UnknownObject };

export type ModelConversation = {
  readonly turns: readonly ModelTurn[];
  readonly tools: readonly OfferedTool[];
  readonly toolChoice: OfferedChoice;
  readonly parallelToolCalls: boolean;
  readonly format: AnswerFormat;
};

export type ServedCall = {
  readonly model: string;
  readonly stream: boolean;
  readonly conversation: ModelConversation;
  readonly maxOutputTokens: number | undefined;
  readonly stopSequences: readonly string[];
  /** Field of the conversation (`messages` or `input`), named in errors about its content. */
  readonly conversationField: string;
};

const findLastUserIndex = (turns: readonly ModelTurn[]): number => turns.findLastIndex((turn) => turn.role === 'user');

/** Returns the last user text, or an empty text. */
export const findLastUserText = (turns: readonly ModelTurn[]): string => turns[findLastUserIndex(turns)]?.text ?? '';

/** Returns the turns after the last user message: the calls and results of this question's earlier steps. */
export const sliceSinceLastUser = (turns: readonly ModelTurn[]): readonly ModelTurn[] =>
  turns.slice(findLastUserIndex(turns) + 1);
