// Our guards as processors of the reference in its process: each run has its own state of them, as in a replica.
import { createEntryArgs, MessageList } from '../../shared/processor/src/mod.ts';
import { PROCESSORS } from '../../services/guardrails/src/processors.ts';

const never = new AbortController().signal;
const ref = { tenant: 'default', runId: 'reference', agent: 'reference', epoch: 1 };
const call = { run: ref, requestContext: {}, retryCount: 0, stepNumber: 0 };
const context = { ...call, signal: never, trace: undefined, write: () => undefined };
const failed = (error) => {
  throw error;
};

/** The arguments of a guard's methods, for one run: its state, and arguments that the runtime of a replica makes. */
function argsOf(id) {
  const entry = { entry: id, processor: id, options: {}, state: {} };
  const { common } = createEntryArgs(entry, context, { writeFailed: failed });
  return { ...common, state: {}, onViolation: () => undefined };
}

const makeText = ({ content }) =>
  typeof content === 'string' ? content : content.parts.map((part) => (part.type === 'text' ? part.text : '')).join('');
const listOf = (messages, source) => {
  const entries = messages.map((message) => {
    const text = makeText(message);
    const content = { format: 2, parts: [{ type: 'text', text }] };
    return { source, message: { id: message.id, role: message.role, createdAt: new Date().toISOString(), content } };
  });
  return new MessageList({ entries, system: [] }, source);
};

/** The interface of the reference takes one part for one: pieces that a guard releases with an end replace that end. */
function onePart(answer) {
  const pieces = answer.filter(({ type }) => type === 'text-delta');
  if (pieces.length === 0) return answer[0] ?? null;
  return { ...pieces[0], payload: { ...pieces[0].payload, text: pieces.map(({ payload }) => payload.text).join('') } };
}

const made = ({ id, options = {} }) => {
  const definition = PROCESSORS.find((one) => one.id === id);
  if (!definition) throw new Error(`There is no guard "${id}".`);
  return { id, guard: definition.create(definition.options.parse(options)) };
};

/** One use of a guard, for the input. */
export function inputGuard(use) {
  const { id, guard } = made(use);
  return {
    id,
    name: id,
    async processInput({ messages }) {
      const messageList = listOf(messages, 'input');
      await guard.processInput?.({
        ...argsOf(id),
        messages: messageList.get.all.db(),
        messageList,
        systemMessages: [],
      });
      return messages;
    },
  };
}

/** All guards of the output as one processor: pieces that one of them releases with an end would not reach the next otherwise. */
export function outputGuards(uses) {
  const chain = uses.map(made);
  const answers = listOf([], 'response');
  return {
    id: 'guards',
    name: 'guards',
    async processOutputStream({ part, state }) {
      state.own ??= chain.map(({ id }) => argsOf(id));
      let parts = [part];
      for (const [at, { guard }] of chain.entries()) {
        if (!guard.processOutputStream) continue;
        const passed = [];
        for (const one of parts) {
          const args = { ...state.own[at], part: one, streamParts: [one], messageList: answers };
          passed.push(...[(await guard.processOutputStream(args)) ?? []].flat());
        }
        parts = passed;
      }
      return onePart(parts);
    },
    async processOutputResult({ messages }) {
      for (const { id, guard } of chain) {
        if (!guard.processOutputResult) continue;
        const messageList = listOf(messages, 'response');
        const result = { text: '', usage: {}, finishReason: 'stop', steps: [], answered: true };
        const list = { messages: messageList.get.response.db(), messageList, systemMessages: [] };
        await guard.processOutputResult({ ...argsOf(id), ...list, result });
      }
      return messages;
    },
  };
}
