// The first message of a chat, on its way from the empty page to the page of its thread.

export type Draft = { text: string; resource: string | undefined };
const drafts = new Map<string, Draft>();

export const storeDraft = (thread: string, draft: Draft): void => void drafts.set(thread, draft);

/** Returns the draft once. */
export function takeDraft(thread: string): Draft | undefined {
  const draft = drafts.get(thread);
  drafts.delete(thread);
  return draft;
}
