// The arguments of a stage's method. Messages are taken out of the list when somebody looks: copies of what nobody reads would be most
// of what a call costs. Members that are not read throw when they are looked at; spreading the arguments does not.
import {
  emptyConversation,
  messagesOf,
  type Message,
  type MessageSource,
  type Reads,
  type Stage,
  type StageInput,
} from '@millrace/contracts';
import { inspect } from 'node:util';
import type { CommonArgs } from '../processor.ts';
import { MessageList, listedSystem, type ListedSystemMessage } from '../message-list/message-list.ts';
import type { ReadGuard } from './read-guard.ts';

/** A stage's messages: what processInput and processInputStep see is the whole list, processOutputResult the response only. */
const MESSAGES_OF: Partial<Record<Stage, MessageSource[]>> = { processOutputResult: ['response'] };
const ANY_SOURCE = ['input', 'response', 'remembered', 'context'] as const;
const messagesNeed = (stage: Stage) => MESSAGES_OF[stage] ?? ANY_SOURCE;
/** Arguments that come from what is read, beside `messages`. */
const NEEDS = {
  systemMessages: ['system'],
  steps: ['steps'],
  prompt: ['prompt'],
  chunks: ['chunks'],
  tools: ['tools'],
  request: ['request'],
  rawResponse: ['request'],
} as const;
type Guarded = 'messages' | keyof typeof NEEDS;
/** Which of them a stage's method has; `result` is processOutputResult's. */
const GUARDED: Partial<Record<Stage | 'result', readonly Guarded[]>> = {
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

/** What one call of a method is given of the conversation. */
export class GivenMessages {
  readonly list: MessageList;
  readonly guard: ReadGuard;
  readonly emptyMeansNone: boolean;
  #messages: Message[] | undefined;
  #systemMessages: ListedSystemMessage[] | undefined;

  /** @param list as createList made it */
  constructor(list: MessageList, guard: ReadGuard) {
    this.list = list;
    this.guard = guard;
    this.emptyMeansNone = guard.stage.startsWith('processOutput');
  }

  /** As they were before the method began. Always the same array: what is returned is compared with it. */
  get messages(): Message[] {
    return (this.#messages ??= this.#read());
  }

  get systemMessages(): ListedSystemMessage[] {
    return (this.#systemMessages ??= this.guard.has(NEEDS.systemMessages)
      ? listedSystem(this.list.conversationAsGiven().system)
      : []);
  }

  #read(): Message[] {
    const { stage } = this.guard;
    if (!this.guard.has(messagesNeed(stage))) return [];
    return messagesOf(this.list.conversationAsGiven(), ...(MESSAGES_OF[stage] ?? []));
  }
}

/**
 * Where the accessors find what they take from. They are the same functions for all calls: the engine makes a layout of its own for
 * each object that has accessors of its own, and collecting those costs more than all the rest of a call.
 */
const GIVEN = Symbol('given');
type Given = { [GIVEN]: GivenMessages };

const lazy = (name: 'messages' | 'systemMessages'): PropertyDescriptor & ThisType<Given> => ({
  get() {
    return this[GIVEN][name];
  },
  set(value: unknown) {
    Object.defineProperty(this, name, { value, writable: true, enumerable: true, configurable: true });
  },
  enumerable: true,
  configurable: true,
});
const MESSAGES = lazy('messages');
const SYSTEM_MESSAGES = lazy('systemMessages');

/** Arguments with their accessors, as who prints them expects them. */
const PRINTED: PropertyDescriptor & ThisType<object> = {
  value() {
    return Object.fromEntries(Object.entries(this));
  },
};

type Layout = { unread: ReadonlySet<string>; prototype: object };
/** One for each declaration of reads and stage: the reads of a processor are one array. */
const layouts = new WeakMap<readonly Reads[], Map<Stage | 'result', Layout>>();

function layoutOf(guard: ReadGuard, of: Stage | 'result'): Layout {
  const ofReads = layouts.get(guard.reads) ?? new Map<Stage | 'result', Layout>();
  layouts.set(guard.reads, ofReads);
  const layout = ofReads.get(of) ?? makeLayout(guard, GUARDED[of] ?? []);
  ofReads.set(of, layout);
  return layout;
}

function makeLayout(guard: ReadGuard, guarded: readonly Guarded[]): Layout {
  const needs = { ...NEEDS, messages: messagesNeed(guard.stage) };
  const unread = guarded.filter((name) => !guard.has(needs[name]));
  const accessors = unread.map((name): [string, PropertyDescriptor & ThisType<Given>] => {
    const get = function get(this: Given) {
      this[GIVEN].guard.check(name, needs[name]);
    };
    return [name, { get }];
  });
  const prototype: object = Object.create(Object.prototype, Object.fromEntries(accessors));
  Object.defineProperty(prototype, inspect.custom, PRINTED);
  return { unread: new Set(unread), prototype };
}

/** The arguments of a method: what all get, its own members where they are read, and messages where its stage has them. */
export function argsOf<M extends object>(common: CommonArgs, members: M, given: GivenMessages): CommonArgs & M {
  return Object.assign(readable(members, given, given.guard.stage), common);
}

export function argsWithMessages<M extends object>(common: CommonArgs, members: M, given: GivenMessages) {
  const args = Object.assign(argsOf(common, members, given), { messageList: given.list });
  const { unread } = layoutOf(given.guard, given.guard.stage);
  if (!unread.has('messages')) Object.defineProperty(args, 'messages', MESSAGES);
  if (!unread.has('systemMessages')) Object.defineProperty(args, 'systemMessages', SYSTEM_MESSAGES);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not its own throws when it is looked at
  return args as typeof args & Pick<GivenMessages, 'messages' | 'systemMessages'>;
}

/** What is read of `members`: looking at the others throws. */
export function readable<M extends object>(members: M, given: GivenMessages, of: Stage | 'result'): M {
  const { unread, prototype } = layoutOf(given.guard, of);
  const own: object = Object.create(prototype);
  Reflect.set(own, GIVEN, given);
  for (const [name, value] of Object.entries(members)) if (!unread.has(name)) Reflect.set(own, name, value);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what is not its own throws when it is looked at
  return own as M;
}
