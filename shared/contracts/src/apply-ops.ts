// A conversation that operations are applied to, one after the other. A processor in whatever language may send hundreds of thousands
// of them in one message: each costs what it names, not what the conversation has.
import {
  CALLER_TAG,
  isCallerSystem,
  type Conversation,
  type ConversationEntry,
  type MessageOp,
  type MessageSource,
} from './conversation.ts';
import { MillraceError } from './errors.ts';
import { messageText, type Message } from './message.ts';
import { SystemGroups } from './system-groups.ts';

/** @throws message-invalid for a message to replace that is not there */
export function applyOps(conversation: Conversation, ops: readonly MessageOp[]): Conversation {
  if (ops.length === 0) return conversation;
  const draft = new ConversationDraft(conversation);
  for (const op of ops) draft.apply(op);
  return draft.conversation();
}

const FEW_LOOKS = 4;

type Slot = { source: MessageSource; message: Message; isGone: boolean };
type OpOf<O extends MessageOp['op']> = Extract<MessageOp, { op: O }>;

export class ConversationDraft {
  readonly #given: readonly ConversationEntry[];
  /** Where the entries are changed: what is removed keeps its place here. */
  #slots: Slot[] | undefined;
  /** Those that are not gone. A list of them costs more than a few looks at all. */
  #byId: Map<string, Slot[]> | undefined;
  #looks = 0;
  /** What stands before it and is not gone is remembered. */
  #ownFrom = 0;
  #system: SystemGroups;
  /** How many system messages of the caller there are. */
  #callers = 0;
  /** Their group is not as they are now. */
  #isStale = false;

  /** @param conversation stays as it is */
  constructor({ entries, system }: Conversation) {
    this.#given = entries;
    this.#system = new SystemGroups(system);
  }

  /** @throws message-invalid for a message to replace that is not there: the draft is as before */
  apply(op: MessageOp): void {
    switch (op.op) {
      case 'add':
        return this.#add(op);
      case 'remove':
        return this.#remove(op);
      case 'replace':
        return this.#replace(op);
      case 'system':
        return this.#settled().set(op.tag, op.contents);
      case 'system-add':
        return this.#settled().add(op.tag, op.contents);
      case 'system-all':
        this.#isStale = false;
        this.#system = new SystemGroups(op.messages);
    }
  }

  conversation(): Conversation {
    const system = this.#settled().all();
    const slots = this.#slots?.filter(({ isGone }) => !isGone);
    return { entries: slots?.map(({ source, message }) => ({ source, message })) ?? [...this.#given], system };
  }

  /**
   * An added message whose id is there already replaces it in place: adding twice is adding once. It keeps its source: what a caller
   * said does not become history, which nobody judges, by being added again.
   */
  #add({ source, message, before }: OpOf<'add'>): void {
    const [there] = this.#named(message.id);
    if (there) return this.#put(there, message);
    const slot = { source, message, isGone: false };
    this.#place(slot, before);
    this.#byId?.set(message.id, [slot]);
    this.#counted(Number(isCallerSystem(slot)), isCallerSystem(slot));
  }

  #remove({ ids }: OpOf<'remove'>): void {
    for (const id of ids) {
      for (const slot of this.#named(id)) {
        slot.isGone = true;
        this.#counted(-Number(isCallerSystem(slot)), isCallerSystem(slot));
      }
      this.#byId?.delete(id);
    }
  }

  #replace({ message }: OpOf<'replace'>): void {
    const [there] = this.#named(message.id);
    if (there) return this.#put(there, message);
    throw new MillraceError('message-invalid', `There is no message "${message.id}" to replace.`, {
      remedy: 'Add it, or replace a message that the conversation has.',
    });
  }

  #put(slot: Slot, message: Message): void {
    const was = isCallerSystem(slot);
    slot.message = message;
    const is = isCallerSystem(slot);
    this.#counted(Number(is) - Number(was), was || is);
  }

  #place(slot: Slot, before: string | undefined): void {
    const slots = this.#opened();
    const [next] = before === undefined ? [] : this.#named(before);
    const at = next ? slots.indexOf(next) : this.#placeOf(slot, slots);
    slots.splice(at, 0, slot);
    if (slot.source !== 'remembered') this.#ownFrom = Math.min(this.#ownFrom, at);
  }

  /** Remembered messages stand before everything of this run, in the order in which they come. */
  #placeOf({ source }: Slot, slots: readonly Slot[]): number {
    if (source !== 'remembered') return slots.length;
    const isBefore = (slot: Slot | undefined) => slot !== undefined && (slot.isGone || slot.source === 'remembered');
    while (isBefore(slots[this.#ownFrom])) this.#ownFrom += 1;
    return this.#ownFrom;
  }

  /** One; several where the conversation was given with several of that id. */
  #named(id: string): readonly Slot[] {
    const slots = this.#opened();
    this.#looks += 1;
    if (this.#looks <= FEW_LOOKS) return slots.filter((slot) => !slot.isGone && slot.message.id === id);
    const left = () => slots.filter(({ isGone }) => !isGone);
    this.#byId ??= Map.groupBy(left(), ({ message }) => message.id);
    return this.#byId.get(id) ?? [];
  }

  #opened(): Slot[] {
    if (this.#slots) return this.#slots;
    this.#slots = this.#given.map(({ source, message }) => ({ source, message, isGone: false }));
    this.#callers = this.#slots.filter(isCallerSystem).length;
    return this.#slots;
  }

  #counted(by: number, isCallers: boolean): void {
    if (!isCallers) return;
    this.#callers += by;
    this.#isStale = true;
    // The group ends here, and may begin again at another place.
    if (this.#callers === 0) this.#settled();
  }

  /** The groups, the caller's as its entries are now: what a guard redacts or removes there is so for the model too. */
  #settled(): SystemGroups {
    if (!this.#isStale) return this.#system;
    this.#isStale = false;
    const own = this.#callers === 0 ? [] : this.#opened().filter((slot) => !slot.isGone && isCallerSystem(slot));
    this.#system.set(
      CALLER_TAG,
      own.map(({ message }) => messageText(message)),
    );
    return this.#system;
  }
}
