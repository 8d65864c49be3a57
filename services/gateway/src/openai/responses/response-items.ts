// The output items of a response: messages, reasoning, calls of the agent's tools, and questions about calls. Items are
// values: every change is a new item.
import { writeWithText, type JsonValue } from '@millrace/contracts';
import {
  describeWrittenItem,
  type ItemPlace,
  type ItemStatus,
  type WrittenCall,
  type WrittenText,
} from '@millrace/openai-wire';

/** Lengths of the text after each chunk, from the last to the first: a retraction inside of an item cuts there. */
type Pieces = { index: number; end: number; before: Pieces } | undefined;
type ItemBase = ItemPlace & { from: number; status: ItemStatus };

export type TextItem = WrittenText & {
  from: number;
  /** Id of the part in the chunks. */
  part: string;
  pieces: Pieces;
};
export type CallItem = ItemBase & {
  kind: 'call';
  callId: string;
  name: string;
  args: string;
  output: string | null;
  error: string | null;
  /** Index of the chunk with the outcome. */
  endedAt: number | undefined;
};
type ApprovalItem = ItemBase & { kind: 'approval'; name: string; args: string };
/** A call of the client's tool. */
export type FunctionItem = WrittenCall & { from: number };
export type OutputItem = TextItem | CallItem | ApprovalItem | FunctionItem;

/** The agent's own tools: its services are behind the orchestrator, and a client does not address them. */
const SERVER_LABEL = 'agent';

export const appendText = (item: TextItem, index: number, text: string): TextItem => ({
  ...item,
  text: item.text + text,
  pieces: { index, end: item.text.length + text.length, before: item.pieces },
});

/** Returns the text of the chunks before an index, and their pieces: a later retraction may cut further. */
export function cutText({ text, pieces }: TextItem, index: number): Pick<TextItem, 'text' | 'pieces'> {
  let kept = pieces;
  while (kept && kept.index >= index) kept = kept.before;
  return { text: text.slice(0, kept?.end ?? 0), pieces: kept };
}

/** @throws number-inexact */
export const stringify = (value: JsonValue | undefined, text?: string): string =>
  typeof value === 'string' ? value : writeWithText(value ?? null, text, 'tool');

export function describeItem(item: OutputItem): object {
  const { id, status } = item;
  switch (item.kind) {
    case 'call': {
      const { name, args, output, error } = item;
      return { id, type: 'mcp_call', server_label: SERVER_LABEL, name, arguments: args, output, error, status };
    }
    case 'approval':
      return { id, type: 'mcp_approval_request', server_label: SERVER_LABEL, name: item.name, arguments: item.args };
    default:
      return describeWrittenItem(item);
  }
}
