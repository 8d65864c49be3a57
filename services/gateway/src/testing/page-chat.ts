// The chat of a page: that of the AI SDK, unchanged, which useChat is built on.
import { AbstractChat, type ChatInit, type ChatState, type UIMessage } from 'ai';

function createState(): ChatState<UIMessage> {
  const state: ChatState<UIMessage> = {
    status: 'ready',
    error: undefined,
    messages: [],
    pushMessage: (message) => void (state.messages = [...state.messages, message]),
    popMessage: () => void (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (at, message) => void (state.messages = state.messages.with(at, message)),
    snapshot: (value) => structuredClone(value),
  };
  return state;
}
export class Chat extends AbstractChat<UIMessage> {
  constructor(init: ChatInit<UIMessage>) {
    super({ ...init, state: createState() });
  }
}

/** Returns the text of a message, by default of the last one. */
export const joinTexts = ({ messages }: Chat, at = -1): string =>
  (messages.at(at)?.parts ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
