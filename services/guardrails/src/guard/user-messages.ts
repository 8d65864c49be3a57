// What an input guard looks at: the caller's own messages. Remembered ones were judged when they were new, and reading them
// again would let the cost grow with the thread.
import type { Message } from '@millrace/contracts';
import type { MessageList } from '@millrace/processor';

/** User messages of this run's input, oldest first. */
export function userMessages(messageList: MessageList): Message[] {
  return messageList.get.input.db().filter((message) => message.role === 'user');
}
