// Applies operations to a conversation in order. A processor may send hundreds of thousands of them in one message: the
// cost of each depends on the messages that it names, not on the size of the conversation.
import {
  CALLER_TAG,
  buildCallerSystemText,
  isCallerSystem,
  type Conversation,
  type ConversationEntry,
  type MessageOp,
  type MessageSource,
} from './conversation.ts';
import { MillraceError } from '../base/errors.ts';
import type { Message } from './message.ts';
import { SystemGroups, type SystemText } from './system-groups.ts';

/** @throws message-invalid if the message to replace does not exist */
export function applyOps(conversation: Conversation, ops: readonly MessageOp[]): Conversation {
  if (ops.length === 0) return conversation;
  const draft = new ConversationDraft(conversation);
  for (const op of ops) draft.apply(op);
  return draft.conversation();
}

const FEW_LOOKS = 4;

type MessageSlot = { source: MessageSource; message: Message; isRemoved: boolean };
type OpOf<O extends MessageOp['op']> = Extract<MessageOp, { op: O }>;

export class ConversationDraft {
  readonly #given: readonly ConversationEntry[];
  /** Slots of the entries; a removed entry keeps its slot. */
  #slots: MessageSlot[] | undefined;
  /** Remaining slots by id. The index is built after a few lookups, because it costs more than they do. */
  #byId: Map<string, MessageSlot[]> | undefined;
  #looks = 0;
  /** All remaining slots before this index are remembered messages. */
  #ownFrom = 0;
  #system: SystemGroups;
  /** Number of the caller's system messages. */
  #callers = 0;
  /** True if the caller's group differs from its entries. */
  #isStale = false;

  /** @param conversation is not changed */
  constructor({ entries, system }: Conversation) {
    this.#given = entries;
    this.#system = new SystemGroups(system);
  }

  /** @throws message-invalid if the message to replace does not exist; the draft is not changed */
  apply(op: MessageOp): void {
    switch (op.op) {
      case 'add':
        return this.#add(op);
      case 'remove':
        return this.#remove(op);
      case 'replace':
        return this.#replace(op);
      case 'system':
        return this.#settled().set(op.tag, listSystemTexts(op));
      case 'system-add':
        return this.#settled().add(op.tag, listSystemTexts(op));
      case 'system-all':
        this.#isStale = false;
        this.#system = new SystemGroups(op.messages);
    }
  }

  conversation(): Conversation {
    const system = this.#settled().all();
    const slots = this.#slots?.filter(({ isRemoved }) => !isRemoved);
    return { entries: slots?.map(({ source, message }) => ({ source, message })) ?? [...this.#given], system };
  }

  /**
   * Replaces an existing message with the same id in place, so that adding twice equals adding once. The message keeps
   * its source: input of the caller must not become history, which is not judged.
   */
  #add({ source, message, before }: OpOf<'add'>): void {
    const [there] = this.#named(message.id);
    if (there) return this.#put(there, message);
    const slot = { source, message, isRemoved: false };
    this.#place(slot, before);
    this.#byId?.set(message.id, [slot]);
    this.#counted(Number(isCallerSystem(slot)), isCallerSystem(slot));
  }

  #remove({ ids }: OpOf<'remove'>): void {
    for (const id of ids) {
      for (const slot of this.#named(id)) {
        slot.isRemoved = true;
        this.#counted(-Number(isCallerSystem(slot)), isCallerSystem(slot));
      }
      this.#byId?.delete(id);
    }
  }

  #replace({ message }: OpOf<'replace'>): void {
    const [there] = this.#named(message.id);
    if (there) return this.#put(there, message);
    throw new MillraceError('message-invalid', `The message "${message.id}" to replace does not exist.`, {
      remedy: 'Add it, or replace an existing message.',
    });
  }

  #put(slot: MessageSlot, message: Message): void {
    const was = isCallerSystem(slot);
    slot.message = message;
    const is = isCallerSystem(slot);
    this.#counted(Number(is) - Number(was), was || is);
  }

  #place(slot: MessageSlot, before: string | undefined): void {
    const slots = this.#opened();
    const [next] = before === undefined ? [] : this.#named(before);
    const at = next ? slots.indexOf(next) : this.#placeOf(slot, slots);
    slots.splice(at, 0, slot);
    if (slot.source !== 'remembered') this.#ownFrom = Math.min(this.#ownFrom, at);
  }

  /** Remembered messages precede all messages of this run, in the order of their operations. */
  #placeOf({ source }: MessageSlot, slots: readonly MessageSlot[]): number {
    if (source !== 'remembered') return slots.length;
    const isBefore = (slot: MessageSlot | undefined) =>
      slot !== undefined && (slot.isRemoved || slot.source === 'remembered');
    while (isBefore(slots[this.#ownFrom])) this.#ownFrom += 1;
    return this.#ownFrom;
  }

  /** Returns one slot, or several if the conversation was passed with duplicate ids. */
  #named(id: string): readonly MessageSlot[] {
    const slots = this.#opened();
    this.#looks += 1;
    if (this.#looks <= FEW_LOOKS) return slots.filter((slot) => !slot.isRemoved && slot.message.id === id);
    const listRemaining = () => slots.filter(({ isRemoved }) => !isRemoved);
    this.#byId ??= Map.groupBy(listRemaining(), ({ message }) => message.id);
    return this.#byId.get(id) ?? [];
  }

  #opened(): MessageSlot[] {
    if (this.#slots) return this.#slots;
    this.#slots = this.#given.map(({ source, message }) => ({ source, message, isRemoved: false }));
    this.#callers = this.#slots.filter(isCallerSystem).length;
    return this.#slots;
  }

  #counted(by: number, isCallers: boolean): void {
    if (!isCallers) return;
    this.#callers += by;
    this.#isStale = true;
    // The group ends here and may start again at another position.
    if (this.#callers === 0) this.#settled();
  }

  /**
   * Updates the groups with the caller's entries: if a guard redacts or removes an entry, the model must not see the
   * original.
   */
  #settled(): SystemGroups {
    if (!this.#isStale) return this.#system;
    this.#isStale = false;
    const own = this.#callers === 0 ? [] : this.#opened().filter((slot) => !slot.isRemoved && isCallerSystem(slot));
    this.#system.set(CALLER_TAG, own.map(buildCallerSystemText));
    return this.#system;
  }
}

function listSystemTexts({ contents, labels = [] }: OpOf<'system' | 'system-add'>): SystemText[] {
  return contents.map((content, at) => ({ content, ...(labels[at] && { label: labels[at] }) }));
}
