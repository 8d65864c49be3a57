// The MessageList of a stage call: the conversation that the replica received, and the operations made on it. Every
// method that changes it records an operation; only the operations are returned to the orchestrator. The name and its
// `get` views are those of the reference interface, so that its processors run unchanged.
import {
  ConversationDraft,
  readMessageText,
  selectMessages,
  sourceSchema,
  reconcile,
  buildTextMessage,
  type Conversation,
  type Label,
  type Message,
  type MessageOp,
  type MessageSource,
  type SystemMessage,
} from '@millrace/contracts';
import { READS_EVERYTHING, type ReadGuard } from './read-guard.ts';
import { toCoreMessages, toUiMessages, type CoreMessage, type ListedUiMessage } from './message-forms.ts';

export type MessageView = {
  db(): Message[];
  ui(): ListedUiMessage[];
  core(): CoreMessage[];
  model(): CoreMessage[];
};

/** A system message as passed to processors. */
export type ListedSystemMessage = { role: 'system'; content: string; tag: string };

export const toListedSystem = (messages: readonly SystemMessage[]): ListedSystemMessage[] =>
  messages.map(({ content, tag }) => ({ role: 'system', content, tag }));

const labelEach = (contents: readonly string[], label: Label | undefined): { labels?: Label[] } =>
  label ? { labels: contents.map(() => label) } : {};

type Views = Record<'all' | 'input' | 'response' | 'remembered', MessageView>;

/** The tag of system messages that are added without one. */
const UNTAGGED = 'processor';

/** Copies of the given conversation; `texts`: each message as JSON, by its id. */
type CopiedConversation = { given: Conversation; texts: Map<string, string> };

export class MessageList {
  readonly #source: Conversation;
  #copied: CopiedConversation | undefined;
  /** The operations and their result. */
  #draft: ConversationDraft | undefined;
  #changed: Conversation | undefined;
  #views: Views | undefined;
  readonly #ops: MessageOp[] = [];
  /** The last message of an id that the receiver of the operations has. */
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

  /** Copies the conversation at its first access. */
  #copy(): CopiedConversation {
    if (this.#copied) return this.#copied;
    // Processors may edit parts in place; the call's own conversation must not change for the next processor.
    const { entries, system } = this.#source;
    const texts = entries.map(({ message }) => JSON.stringify(message));
    // Copies through the JSON text that is kept anyway: a structured clone of a message costs several times as much.
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

  /** Returns the conversation before any operation; the messages are the list's own. For the runtime. */
  conversationAsGiven(): Conversation {
    return this.#copy().given;
  }

  /** Adds messages, or plain text: a string becomes a user message for input, otherwise an assistant message. */
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

  /** Replaces the message with the same id. @throws message-invalid if none exists */
  replace(message: Message): this {
    return this.#apply({ op: 'replace', message });
  }

  /** Appends to the tag's group. @param label see `setSystem` */
  addSystem(content: string | readonly string[], tag: string = UNTAGGED, label?: Label): this {
    const contents = typeof content === 'string' ? [content] : [...content];
    return this.#apply({ op: 'system-add', tag, contents, ...labelEach(contents, label) });
  }

  /**
   * Replaces the tag's whole group; an empty list removes it. @param label origin and trust of the contents; a processor
   * with text from outside sets it. The orchestrator grants at most the trust of the content that the call carried
   */
  setSystem(tag: string, contents: readonly string[], label?: Label): this {
    return this.#apply({ op: 'system', tag, contents: [...contents], ...labelEach(contents, label) });
  }

  clearSystemMessages(tag: string = UNTAGGED): this {
    return this.setSystem(tag, []);
  }

  replaceAllSystemMessages(messages: readonly SystemMessage[]): this {
    return this.#apply({
      op: 'system-all',
      messages: messages.map(({ tag, content, label }) => ({ tag, content, ...(label && { label }) })),
    });
  }

  getSystemMessages(tag?: string): ListedSystemMessage[] {
    this.#guard.check('systemMessages', ['system']);
    const own = this.#conversation.system.filter((message) => tag === undefined || message.tag === tag);
    return toListedSystem(own);
  }

  /** For the runtime, independent of the reads. */
  systemAsGiven(): readonly SystemMessage[] {
    return this.#conversation.system;
  }

  getAllSystemMessages(): ListedSystemMessage[] {
    return this.getSystemMessages();
  }

  /** Returns the text of the caller's last user message of this run; empty if there is none. */
  getLatestUserContent(): string {
    this.#guard.check('messageList.getLatestUserContent', ['input']);
    const user = selectMessages(this.#conversation, 'input').findLast((message) => message.role === 'user');
    return user ? readMessageText(user) : '';
  }

  /** Returns undefined for an unknown message. */
  readSource(id: string): MessageSource | undefined {
    return this.#conversation.entries.find(({ message }) => message.id === id)?.source;
  }

  /**
   * Applies a returned array. `scope`: the messages that were passed to the method; `source`: the source of new ones.
   */
  reconcile(scope: readonly Message[], returned: readonly Message[], source: MessageSource = this.#newSource): void {
    const ids = new Set(scope.map((message) => message.id));
    const given = this.#conversation.entries.filter((entry) => ids.has(entry.message.id));
    for (const op of reconcile(given, returned, source)) this.#apply(op);
  }

  /** Returns all operations so far, in-place edits of messages included. */
  takeOps(): MessageOp[] {
    // Without a copy no message was edited.
    if (!this.#copied) return [];
    const edited = this.#conversation.entries.filter(
      ({ message }) => JSON.stringify(message) !== this.#written(message.id),
    );
    return [...this.#ops, ...edited.map(({ message }): MessageOp => ({ op: 'replace', message }))];
  }

  /** Returns the message as JSON in its current form at the receiver of the operations. */
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
    return buildTextMessage(crypto.randomUUID(), source === 'response' ? 'assistant' : 'user', text);
  }

  #view(name: string, ...sources: MessageSource[]): MessageView {
    const needs = sources.length > 0 ? sources : sourceSchema.options;
    const db = () => {
      this.#guard.check(`messageList.get.${name}`, needs);
      return selectMessages(this.#conversation, ...sources);
    };
    return {
      db,
      ui: () => toUiMessages(db()),
      core: () => toCoreMessages(db()),
      // Both forms are equal here: they are the input of the provider-independent model call.
      model: () => toCoreMessages(db()),
    };
  }
}
