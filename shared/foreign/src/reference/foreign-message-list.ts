// The MessageList of a foreign processor: ours under the names of the reference. An unsupported member throws an error
// that names it, and the call fails, even if the processor catches the error: a guard that passes text after such an
// error has not judged it.
import { isObject, MillraceError, getOwnMember, type Message, type MessageSource } from '@millrace/contracts';
import type { MessageList } from '@millrace/processor';
import { toCoreMessages } from './core-messages.ts';
import { toMessage, withDates } from './foreign-messages.ts';
import {
  addSystem,
  listAll,
  clearSystem,
  replaceUntagged,
  listTaggedSystem,
  listUntaggedSystem,
} from './system-messages.ts';

export type Refuse = (error: Error) => never;
/** The result of a tool as it is now: `updateToolInvocation` changes it. */
export type ToolResultSlot = { toolCallId: string; changed?: { result: unknown } };

const SOURCES: Readonly<Record<string, MessageSource>> = {
  input: 'input',
  user: 'input',
  response: 'response',
  memory: 'remembered',
  context: 'context',
};
const FOREIGN_SOURCE: Readonly<Record<MessageSource, string>> = {
  input: 'input',
  response: 'response',
  remembered: 'memory',
  context: 'context',
};

export function createForeignList(list: MessageList, refuse: Refuse, slot?: ToolResultSlot): object {
  const selectBySource = (source?: MessageSource) => () => {
    const all = withDates(list.get.all.db());
    return source === undefined ? all : all.filter(({ id }) => list.readSource(id) === source);
  };
  const views = {
    all: selectBySource(),
    input: selectBySource('input'),
    response: selectBySource('response'),
    remembered: selectBySource('remembered'),
  };
  const createView = (name: keyof typeof views) => {
    const path = `messageList.get.${name}`;
    const db = views[name];
    const core = () => toCoreMessages(db());
    const aiV4 = refuseOthers({ core }, `${path}.aiV4`, refuse);
    const aiV5 = refuseOthers({ model: () => list.get[name].model() }, `${path}.aiV5`, refuse);
    return refuseOthers({ db, core, aiV4, aiV5 }, path, refuse);
  };
  const get = {
    all: createView('all'),
    input: createView('input'),
    response: createView('response'),
    remembered: createView('remembered'),
  };
  const removeFrom = (db: () => Message[]) => ({ db: () => removeAll(list, db()) });

  const own = {
    get: refuseOthers(get, 'messageList.get', refuse),
    clear: { all: removeFrom(views.all), input: removeFrom(views.input), response: removeFrom(views.response) },
    add(given: unknown, source: string = 'input') {
      for (const one of Array.isArray(given) ? given : [given]) addOne(list, one, source, refuse);
      return self;
    },
    removeByIds: (ids: readonly string[]) =>
      removeAll(
        list,
        views.all().filter(({ id }) => ids.includes(id)),
      ),
    addSystem: (given: unknown, tag?: string) => (addSystem(list, given, tag), self),
    clearSystemMessages: (tag?: string) => (clearSystem(list, tag), self),
    replaceAllSystemMessages: (messages: readonly unknown[]) => (replaceUntagged(list, messages), self),
    getSystemMessages: (tag?: string) => (tag === undefined ? listUntaggedSystem(list) : listTaggedSystem(list, tag)),
    getAllSystemMessages: () => listAll(list),
    getLatestUserContent: () => list.getLatestUserContent() || null,
    isNewMessage(given: Message | string) {
      const source = list.readSource(typeof given === 'string' ? given : given.id);
      return source === 'input' || source === 'response';
    },
    makeMessageSourceChecker: () => createSourceChecker(list),
    updateToolInvocation: (part: unknown) => updateInvocation(views.all(), part, slot),
  };
  const self = refuseOthers(own, 'messageList', refuse);
  return self;
}

/** Inspection of an object reads these names; they are not calls to the list. */
const LOOKED_AT: readonly string[] = [
  'then',
  'toJSON',
  'constructor',
  'inspect',
  'nodeType',
  '$$typeof',
  '_isMockFunction',
];

function refuseOthers<T extends object>(own: T, path: string, refuse: Refuse): T {
  return new Proxy(own, {
    get(target, name, receiver) {
      if (typeof name === 'symbol' || name in target || LOOKED_AT.includes(name)) {
        return Reflect.get(target, name, receiver);
      }
      return refuse(
        new MillraceError('not-built-yet', `${path}.${name} is not there for a processor that runs as a service.`, {
          path: `${path}.${name}`,
          remedy: `There are ${Object.keys(target).join(', ')}.`,
        }),
      );
    },
  });
}

function addOne(list: MessageList, given: unknown, source: string, refuse: Refuse): void {
  if (source === 'system' || (isObject(given) && given['role'] === 'system')) return addSystem(list, given);
  const known = getOwnMember(SOURCES, source);
  if (!known) refuse(new MillraceError('message-invalid', `There is no message source "${source.slice(0, 50)}".`));
  else list.add(toMessage(given, known === 'response' ? 'assistant' : 'user'), known);
}

function removeAll(list: MessageList, messages: Message[]): Message[] {
  if (messages.length > 0) list.removeByIds(messages.map(({ id }) => id));
  return messages;
}

function createSourceChecker(list: MessageList) {
  const all = list.get.all.db();
  const listIds = (source: MessageSource) =>
    new Set(all.filter(({ id }) => list.readSource(id) === source).map(({ id }) => id));
  return {
    memory: listIds('remembered'),
    input: listIds('input'),
    output: listIds('response'),
    context: listIds('context'),
    getSource({ id }: { id: string }) {
      const source = list.readSource(id);
      return source ? FOREIGN_SOURCE[source] : null;
    },
  };
}

/** Whether there was such a call. In processToolResult that of the stage is its result, which no message holds yet. */
function updateInvocation(messages: Message[], part: unknown, slot: ToolResultSlot | undefined): boolean {
  const invocation: unknown = isObject(part) ? part['toolInvocation'] : undefined;
  if (!isObject(invocation)) return false;
  const { toolCallId } = invocation;
  if (slot && toolCallId === slot.toolCallId) {
    slot.changed = { result: invocation['result'] };
    return true;
  }
  for (const { content } of messages.toReversed()) {
    const known = content.parts.find(
      (one) => one.type === 'tool-invocation' && one.toolInvocation.toolCallId === toolCallId,
    );
    if (known?.type !== 'tool-invocation') continue;
    Object.assign(known.toolInvocation, invocation, { args: known.toolInvocation.args });
    return true;
  }
  return false;
}
