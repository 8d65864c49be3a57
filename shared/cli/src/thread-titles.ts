// What a list of threads says of each: its title, or, where nobody has given it one, the first words that were said in it.
import { DEFAULT_THREAD_TITLE, MillraceError, messageText, type Thread } from '@millrace/contracts';
import type { Client } from '@millrace/client';
import { oneLine } from './printable.ts';

const MAX_LENGTH = 60;
/** Threads that are asked for at once. */
const AT_ONCE = 8;

/** In the order of the threads. */
export async function threadTitles(client: Client, threads: readonly Thread[]): Promise<string[]> {
  const titles: string[] = [];
  for (let at = 0; at < threads.length; at += AT_ONCE)
    titles.push(...(await Promise.all(threads.slice(at, at + AT_ONCE).map((thread) => titleOf(client, thread)))));
  return titles;
}

async function titleOf(client: Client, { id, title, messageCount }: Thread): Promise<string> {
  if (title !== DEFAULT_THREAD_TITLE || messageCount === 0) return title;
  try {
    const { messages } = await client.threads.messages(id, { limit: 1 });
    const [first] = messages;
    const words = first ? oneLine(messageText(first), MAX_LENGTH) : '';
    return words === '' ? title : `"${words}"`;
  } catch (error) {
    // A list is worth more than a title in it: the thread may have gone meanwhile.
    if (MillraceError.isInstance(error)) return title;
    throw error;
  }
}
