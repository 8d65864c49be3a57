// Divides a prompt into the messages that have to stay and the ranges between them, and replaces the beginning of a range by a note. Pure.
import type { Prompt } from '@millrace/contracts';

/** Indexes of messages; `end` is exclusive. */
export type ReplaceableRange = { start: number; end: number };

export type PromptRanges = {
  /** Index of the first message of the last steps, which stay as they are. */
  recentStart: number;
  isFixed(at: number): boolean;
  /** The messages between those that have to stay, in order. */
  ranges: ReplaceableRange[];
};

/** The messages of a range before `to` are replaced by `note`. */
export type ReplacedRange = { start: number; to: number; note: string };

/** System messages, the first and the last message of a user, and the last steps stay. A step starts at an answer of the model. */
export function findRanges(roles: readonly string[], keepRecent: number): PromptRanges {
  const answers = roles.flatMap((role, at) => (role === 'assistant' ? [at] : []));
  const recentStart = answers.at(-keepRecent) ?? 0;
  const users = new Set([roles.indexOf('user'), roles.lastIndexOf('user')]);
  const isFixed = (at: number) => at >= recentStart || roles[at] === 'system' || users.has(at);
  const ranges: ReplaceableRange[] = [];
  for (const at of roles.keys()) {
    if (isFixed(at)) continue;
    const last = ranges.at(-1);
    if (last?.end === at) last.end = at + 1;
    else ranges.push({ start: at, end: at + 1 });
  }
  return { recentStart, isFixed, ranges };
}

/**
 * Replaces messages by notes. A note is a further text of the user's message before it, so that the order of roles and the current turn
 * stay; without such a message it is a message of a user, never of the system.
 */
export function replaceRanges(prompt: Prompt, replaced: readonly ReplacedRange[]): Prompt {
  const joined: Prompt = [];
  let from = 0;
  for (const { start, to, note } of replaced) {
    joined.push(...prompt.slice(from, start));
    from = to;
    if (to > start) addNote(joined, note);
  }
  return [...joined, ...prompt.slice(from)];
}

function addNote(prompt: Prompt, text: string): void {
  const note = { type: 'text', text };
  const before = prompt.at(-1);
  if (before?.role === 'user' && Array.isArray(before['content']))
    prompt[prompt.length - 1] = { ...before, content: [...before['content'], note] };
  else prompt.push({ role: 'user', content: [note] });
}
