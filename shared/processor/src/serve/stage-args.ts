// Builds the arguments of a stage's method. Messages are read from the list at the first access: copies of unread
// messages would dominate the cost of a call. Access to a member outside of the reads throws; spreading the arguments
// does not.
import {
  emptyConversation,
  selectMessages,
  type Message,
  type MessageSource,
  type Reads,
  type Stage,
  type StageInput,
} from '@millrace/contracts';
import { inspect } from 'node:util';
import type { CommonArgs } from '../processor/processor.ts';
import { MessageList, toListedSystem, type ListedSystemMessage } from '../message-list/message-list.ts';
import type { ReadGuard } from '../message-list/read-guard.ts';

/**
 * The messages of a stage: processInput and processInputStep see the whole list, processOutputResult the response only.
 */
const MESSAGES_OF: Partial<Record<Stage, MessageSource[]>> = { processOutputResult: ['response'] };
const ANY_SOURCE = ['input', 'response', 'remembered', 'context'] as const;
const listNeededMessages = (stage: Stage) => MESSAGES_OF[stage] ?? ANY_SOURCE;
/** Arguments other than `messages` that depend on the reads. */
const NEEDS = {
  systemMessages: ['system'],
  steps: ['steps'],
  prompt: ['prompt'],
  chunks: ['chunks'],
  tools: ['tools'],
  request: ['request'],
  rawResponse: ['request'],
} as const;
type GuardedMember = 'messages' | keyof typeof NEEDS;
/** The guarded arguments of each stage's method; `result` is processOutputResult's. */
const GUARDED: Partial<Record<Stage | 'result', readonly GuardedMember[]>> = {
  processInput: ['messages', 'systemMessages'],
  processInputStep: ['messages', 'systemMessages', 'tools', 'steps'],
  processLLMRequest: ['tools', 'prompt', 'steps'],
  processAPIError: ['messages', 'systemMessages', 'steps'],
  processLLMResponse: ['chunks', 'steps', 'request', 'rawResponse'],
  processOutputStep: ['messages', 'systemMessages', 'steps'],
  processOutputResult: ['messages', 'systemMessages'],
  result: ['steps'],
};
const afterModel: readonly Stage[] = [
  'processOutputStep',
  'processOutputResult',
  'processToolResult',
  'processOutputStream',
];

export function createList(stage: Stage, input: StageInput, guard: ReadGuard): MessageList {
  const source = afterModel.includes(stage) ? 'response' : 'input';
  return new MessageList(input.conversation ?? emptyConversation, source, guard);
}

/** The part of the conversation that one call of a method receives. */
export class StageMessages {
  readonly list: MessageList;
  readonly guard: ReadGuard;
  readonly emptyMeansNone: boolean;
  #messages: Message[] | undefined;
  #systemMessages: ListedSystemMessage[] | undefined;

  /** @param list result of createList */
  constructor(list: MessageList, guard: ReadGuard) {
    this.list = list;
    this.guard = guard;
    this.emptyMeansNone = guard.stage.startsWith('processOutput');
  }

  /** The messages before the method started. Always the same array, because the returned one is compared with it. */
  get messages(): Message[] {
    return (this.#messages ??= this.#read());
  }

  get systemMessages(): ListedSystemMessage[] {
    return (this.#systemMessages ??= this.guard.has(NEEDS.systemMessages)
      ? toListedSystem(this.list.conversationAsGiven().system)
      : []);
  }

  #read(): Message[] {
    const { stage } = this.guard;
    if (!this.guard.has(listNeededMessages(stage))) return [];
    return selectMessages(this.list.conversationAsGiven(), ...(MESSAGES_OF[stage] ?? []));
  }
}

/**
 * Key of the accessors' data. The accessors are the same functions for all calls: the engine creates a layout for each
 * object with accessors of its own, and collecting those costs more than the rest of a call.
 */
const GIVEN = Symbol('given');
type StageGiven = { [GIVEN]: StageMessages };

const defineLazy = (name: 'messages' | 'systemMessages'): PropertyDescriptor & ThisType<StageGiven> => ({
  get() {
    return this[GIVEN][name];
  },
  set(value: unknown) {
    Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
  },
  enumerable: true,
  configurable: true,
});
const MESSAGES = defineLazy('messages');
const SYSTEM_MESSAGES = defineLazy('systemMessages');

/** Prints the arguments with the values of their accessors. */
const PRINTED: PropertyDescriptor & ThisType<object> = {
  value() {
    return Object.fromEntries(Object.entries(this));
  },
};

type Layout = { unread: ReadonlySet<string>; prototype: object };
/** One for each declaration of reads and stage: the reads of a processor are one array. */
const layouts = new WeakMap<readonly Reads[], Map<Stage | 'result', Layout>>();

function buildLayout(guard: ReadGuard, of: Stage | 'result'): Layout {
  const ofReads = layouts.get(guard.reads) ?? new Map<Stage | 'result', Layout>();
  layouts.set(guard.reads, ofReads);
  const layout = ofReads.get(of) ?? makeLayout(guard, GUARDED[of] ?? []);
  ofReads.set(of, layout);
  return layout;
}

function makeLayout(guard: ReadGuard, guarded: readonly GuardedMember[]): Layout {
  const needs = { ...NEEDS, messages: listNeededMessages(guard.stage) };
  const unread = guarded.filter((name) => !guard.has(needs[name]));
  const accessors = unread.map((name): [string, PropertyDescriptor & ThisType<StageGiven>] => {
    const get = function get(this: StageGiven) {
      this[GIVEN].guard.check(name, needs[name]);
    };
    return [name, { get }];
  });
  const prototype: object = Object.create(Object.prototype, Object.fromEntries(accessors));
  Object.defineProperty(prototype, inspect.custom, PRINTED);
  return { unread: new Set(unread), prototype };
}

/**
 * Builds the arguments of a method: the common ones, its own members that it reads, and messages if its stage has them.
 */
export function buildArgs<M extends object>(common: CommonArgs, members: M, given: StageMessages): CommonArgs & M {
  return Object.assign(buildReadable(members, given, given.guard.stage), common);
}

export function buildArgsWithMessages<M extends object>(common: CommonArgs, members: M, given: StageMessages) {
  const args = Object.assign(buildArgs(common, members, given), { messageList: given.list });
  const { unread } = buildLayout(given.guard, given.guard.stage);
  if (!unread.has('messages')) Object.defineProperty(args, 'messages', MESSAGES);
  if (!unread.has('systemMessages')) Object.defineProperty(args, 'systemMessages', SYSTEM_MESSAGES);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not its own throws when it is looked at
  return args as typeof args & Pick<StageMessages, 'messages' | 'systemMessages'>;
}

/** Returns the members that are read: access to the others throws. */
export function buildReadable<M extends object>(members: M, given: StageMessages, of: Stage | 'result'): M {
  const { unread, prototype } = buildLayout(given.guard, of);
  const own: object = Object.create(prototype);
  Reflect.set(own, GIVEN, given);
  for (const [name, value] of Object.entries(members)) if (!unread.has(name)) Reflect.set(own, name, value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not its own throws when it is looked at
  return own as M;
}
