// Presents messages in the common form of frameworks: a role and a text. Each keeps its id, so that changed, removed
// and inserted messages are detected; parts that are not text (files, reasoning) keep their positions.
import {
  RETURNED_SYSTEM_TAG,
  readMessageText,
  listModelParts,
  buildTextMessage,
  type JsonValue,
  type Message,
  type MessageSource,
  type Role,
} from '@millrace/contracts';
import type { MessageList } from '@millrace/processor';

export type PlainCall = { id: string; name: string; args: JsonValue };
export type PlainMessage = {
  /** Absent: it is new. */
  id?: string | undefined;
  role: Role;
  content: string;
  /** Of an assistant's message; only for reading. */
  toolCalls?: PlainCall[] | undefined;
};

/** The system messages first, then all others, in order. */
export function toPlainMessages(list: MessageList): PlainMessage[] {
  const system = list
    .getAllSystemMessages()
    .map(({ content }, at) => ({ id: buildSystemId(at), role: 'system' as const, content }));
  return [...system, ...list.get.all.db().map(toPlain)];
}

const buildSystemId = (at: number): string => `system-message-${at}`;

function toPlain(message: Message): PlainMessage {
  const toolCalls = listModelParts(message).flatMap((part): PlainCall[] => {
    if (part.type !== 'tool-invocation') return [];
    const { toolCallId, toolName, args } = part.toolInvocation;
    return [{ id: toolCallId, name: toolName, args }];
  });
  const { id, role } = message;
  return { id, role, content: readMessageText(message), ...(toolCalls.length > 0 && { toolCalls }) };
}

/** @param source of messages that are new */
export function applyPlainMessages(list: MessageList, returned: readonly PlainMessage[], source: MessageSource): void {
  const scope = list.get.all.db();
  const known = new Map(scope.map((message) => [message.id, message]));
  const isOther = ({ id = '', role }: PlainMessage) => known.has(id) || role !== 'system';
  applySystem(
    list,
    returned.filter((message) => !isOther(message)),
  );
  const others = returned.filter(isOther).map((message) => toWhole(message, known.get(message.id ?? '')));
  list.reconcile(scope, others, source);
}

function toWhole({ id = crypto.randomUUID(), role, content }: PlainMessage, known: Message | undefined): Message {
  if (!known) return buildTextMessage(id, role, content);
  return readMessageText(known) === content ? known : withText(known, content);
}

/** Puts one text at the position of the texts; other parts are kept. */
function withText(message: Message, text: string): Message {
  const others = message.content.parts.filter((part) => part.type !== 'text');
  const { content: _flat, ...content } = message.content;
  return { ...message, content: { ...content, parts: [{ type: 'text', text }, ...others] } };
}

/** Groups keep their tags: a text that was edited is replaced in its group, one that is left out is removed. */
function applySystem(list: MessageList, returned: readonly PlainMessage[]): void {
  const before = list.getAllSystemMessages();
  const texts = new Map(returned.map(({ id = '', content }) => [id, content]));
  const after = before.flatMap(({ tag }, at) => {
    const content = texts.get(buildSystemId(at));
    return content === undefined ? [] : [{ tag, content }];
  });
  for (const tag of new Set(before.map((message) => message.tag))) {
    const [was, is] = [before, after].map((all) => all.filter((one) => one.tag === tag).map(({ content }) => content));
    if (is && JSON.stringify(was) !== JSON.stringify(is)) list.setSystem(tag, is);
  }
  const ids = new Set(before.map((_, at) => buildSystemId(at)));
  const added = returned.filter(({ id = '' }) => !ids.has(id)).map(({ content }) => content);
  if (added.length > 0) list.addSystem(added, RETURNED_SYSTEM_TAG);
}
