// Asks the services that derive data from messages to delete it, before message-history deletes the messages.
import {
  MAX_FORGOTTEN_MESSAGES,
  MAX_FORGOTTEN_TEXT,
  readMessageText,
  type ForgetRequest,
  type Message,
} from '@millrace/contracts';

/** Resolves when every service has deleted. */
export type Forget = (request: ForgetRequest) => Promise<void>;

/** Splits ids into groups of one request. */
export function splitIds(ids: readonly string[]): string[][] {
  const count = Math.ceil(ids.length / MAX_FORGOTTEN_MESSAGES);
  return Array.from({ length: count }, (_, at) =>
    ids.slice(at * MAX_FORGOTTEN_MESSAGES, (at + 1) * MAX_FORGOTTEN_MESSAGES),
  );
}

export type ForgottenPlace = Omit<Extract<ForgetRequest, { what: 'thread' }>, 'what'>;
export async function forgetMessages(
  forget: Forget,
  place: ForgottenPlace,
  messages: readonly Message[],
): Promise<void> {
  if (messages.length > 0) await forget({ what: 'messages', ...place, messages: messages.map(describeForgotten) });
}

const describeForgotten = (message: Message) => ({
  id: message.id,
  text: readMessageText(message).trim().slice(0, MAX_FORGOTTEN_TEXT),
});
