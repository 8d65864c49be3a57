// The MessageList of a stage call: the conversation that the replica was given, and the operations made on it. Every method
// that changes it records an operation; the operations travel back, the list does not. The name and its `get` views are the
// reference interface's, so that a processor written for it finds what it knows.
import {
  ConversationDraft,
  messageText,
  messagesOf,
  sourceSchema,
  reconcile,
  textMessage,
  type Conversation,
  type Message,
  type MessageOp,
  type MessageSource,
  type SystemMessage,
} from '@millrace/contracts';
import { READS_EVERYTHING, type ReadGuard } from '../serve/read-guard.ts';
import { toCoreMessages, toUiMessages, type CoreMessage, type UiMessage } from './message-forms.ts';

export type MessageView = {
  db(): Message[];
  ui(): UiMessage[];
  core(): CoreMessage[];
  model(): CoreMessage[];
};

/** A system message as processors see it. */
export type ListedSystemMessage = { role: 'system'; content: string; tag: string };

export const listedSystem = (messages: readonly SystemMessage[]): ListedSystemMessage[] =>
  messages.map(({ content, tag }) => ({ role: 'system', content, tag }));

type Views = Record<'all' | 'input' | 'response' | 'remembered', MessageView>;

/** The tag of system messages that are added without one. */
const UNTAGGED = 'processor';

/** What a list has copied of what it was given; `texts`: each message as JSON, by its id. */
type Copied = { given: Conversation; texts: Map<string, string> };

export class MessageList {
  readonly #source: Conversation;
  #copied: Copied | undefined;
  /** What is done to it, and what that has come to. */
  #draft: ConversationDraft | undefined;
  #changed: Conversation | undefined;
  #views: Views | undefined;
  readonly #ops: MessageOp[] = [];
  /** The last message of an id that the receiver of the operations gets. */
  readonly #sent = new Map<string, Message>();
  readonly #newSource: MessageSource;
  readonly #guard: ReadGuard;

  /** @param newSource the source of messages that are added without one: input before the model, response after it. */
  constructor(conversation: Conversation, newSource: MessageSource, guard: ReadGuard = READS_EVERYTHING) {
    this.#guard = guard;
    this.#source = conversation;
    this.#newSource = newSource;
  }

  get get(): Views {
    return (this.#views ??= {
      all: this.#view('all'),
      input: this.#view('input', 'input', 'context'),
      response: this.#view('response', 'response'),
      remembered: this.#view('remembered', 'remembered'),
    });
  }

  /** Made when somebody first looks. */
  #copy(): Copied {
    if (this.#copied) return this.#copied;
    // Processors may edit parts in place; the call's own conversation must not change under the next processor's feet.
    const { entries, system } = this.#source;
    const texts = entries.map(({ message }) => JSON.stringify(message));
    // Copied by way of the text that is kept anyway: a structured clone of a message costs several times as much.
    const copies: Message[] = JSON.parse(`[${texts.join(',')}]`);
    const given = {
      entries: copies.map((message, at) => ({ source: entries[at]?.source ?? this.#newSource, message })),
      system: system.map((message) => ({ ...message })),
    };
    this.#copied = { given, texts: new Map(entries.map(({ message }, at) => [message.id, texts[at] ?? ''])) };
    return this.#copied;
  }

  get #conversation(): Conversation {
    return (this.#changed ??= this.#draft?.conversation()) ?? this.#copy().given;
  }

  /** For the runtime: as it was before anything was done to it; the messages are the list's own. */
  conversationAsGiven(): Conversation {
    return this.#copy().given;
  }

  /** Messages, or plain text of the given role-less kind: a string is a user message for input, else an assistant's. */
  add(messages: Message | string | readonly (Message | string)[], source: MessageSource = this.#newSource): this {
    for (const message of Array.isArray(messages) ? messages : [messages]) {
      this.#apply({
        op: 'add',
        source,
        message: typeof message === 'string' ? this.#fromText(message, source) : message,
      });
    }
    return this;
  }

  removeByIds(ids: readonly string[]): this {
    return this.#apply({ op: 'remove', ids: [...ids] });
  }

  /** Replaces the message of the same id. @throws message-invalid when there is none. */
  replace(message: Message): this {
    return this.#apply({ op: 'replace', message });
  }

  /** After what the tag's group has already. */
  addSystem(content: string | readonly string[], tag: string = UNTAGGED): this {
    return this.#apply({ op: 'system-add', tag, contents: typeof content === 'string' ? [content] : [...content] });
  }

  /** Replaces the tag's whole group; an empty list removes it. */
  setSystem(tag: string, contents: readonly string[]): this {
    return this.#apply({ op: 'system', tag, contents: [...contents] });
  }

  clearSystemMessages(tag: string = UNTAGGED): this {
    return this.setSystem(tag, []);
  }

  replaceAllSystemMessages(messages: readonly SystemMessage[]): this {
    return this.#apply({ op: 'system-all', messages: messages.map(({ tag, content }) => ({ tag, content })) });
  }

  getSystemMessages(tag?: string): ListedSystemMessage[] {
    this.#guard.check('systemMessages', ['system']);
    const own = this.#conversation.system.filter((message) => tag === undefined || message.tag === tag);
    return listedSystem(own);
  }

  /** For the runtime, whoever reads them. */
  systemAsGiven(): readonly SystemMessage[] {
    return this.#conversation.system;
  }

  getAllSystemMessages(): ListedSystemMessage[] {
    return this.getSystemMessages();
  }

  /** The text of the caller's last user message of this run; empty when there is none. */
  getLatestUserContent(): string {
    this.#guard.check('messageList.getLatestUserContent', ['input']);
    const user = messagesOf(this.#conversation, 'input').findLast((message) => message.role === 'user');
    return user ? messageText(user) : '';
  }

  /** undefined: there is no such message. */
  sourceOf(id: string): MessageSource | undefined {
    return this.#conversation.entries.find(({ message }) => message.id === id)?.source;
  }

  /** Applies what a returned array means. `scope` are the messages that the method was given, `source` is that of new ones. */
  reconcile(scope: readonly Message[], returned: readonly Message[], source: MessageSource = this.#newSource): void {
    const ids = new Set(scope.map((message) => message.id));
    const given = this.#conversation.entries.filter((entry) => ids.has(entry.message.id));
    for (const op of reconcile(given, returned, source)) this.#apply(op);
  }

  /** Every operation so far, in-place edits of messages included. */
  takeOps(): MessageOp[] {
    // Nobody has looked: nobody has edited.
    if (!this.#copied) return [];
    const edited = this.#conversation.entries.filter(
      ({ message }) => JSON.stringify(message) !== this.#written(message.id),
    );
    return [...this.#ops, ...edited.map(({ message }): MessageOp => ({ op: 'replace', message }))];
  }

  /** The message, as JSON, as the receiver of the operations will have it so far. */
  #written(id: string): string | undefined {
    const sent = this.#sent.get(id);
    return sent ? JSON.stringify(sent) : this.#copied?.texts.get(id);
  }

  #apply(op: MessageOp): this {
    const recorded = structuredClone(op);
    (this.#draft ??= new ConversationDraft(this.#copy().given)).apply(op);
    this.#changed = undefined;
    this.#ops.push(recorded);
    if (recorded.op === 'add' || recorded.op === 'replace') this.#sent.set(recorded.message.id, recorded.message);
    return this;
  }

  #fromText(text: string, source: MessageSource): Message {
    return textMessage(crypto.randomUUID(), source === 'response' ? 'assistant' : 'user', text);
  }

  #view(name: string, ...sources: MessageSource[]): MessageView {
    const needs = sources.length > 0 ? sources : sourceSchema.options;
    const db = () => {
      this.#guard.check(`messageList.get.${name}`, needs);
      return messagesOf(this.#conversation, ...sources);
    };
    return {
      db,
      ui: () => toUiMessages(db()),
      core: () => toCoreMessages(db()),
      // The same form here: both are what the provider-independent model call takes.
      model: () => toCoreMessages(db()),
    };
  }
}
