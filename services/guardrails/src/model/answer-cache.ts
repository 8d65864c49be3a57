// Caches the answers of judging models in the replica, for all guards together. A key is a hash of the tenant, the
// model, the version of the question and the complete judged text, so that no tenant receives an answer that another
// tenant paid for, and a changed question is asked again. Failures are never cached.
import { createHash } from 'node:crypto';

export type AnswerCache = {
  /** Returns the JSON of the answer; undefined if there is none that is younger than `ttlMs`. */
  get(key: string, ttlMs: number): string | undefined;
  set(key: string, answer: string): void;
};

export type AnswerKey = { tenant: string; model: string; questionVersion: string; text: string };
export type CacheLimits = { maxEntries: number; maxCharacters: number; now: () => number };

const LIMITS: CacheLimits = { maxEntries: 50_000, maxCharacters: 4_194_304, now: () => performance.now() };

/** Evicts the least recently used answers above a limit. An answer above an eighth of `maxCharacters` is not stored. */
export function createAnswerCache({ maxEntries, maxCharacters, now }: CacheLimits = LIMITS): AnswerCache {
  const answers = new Map<string, { answer: string; at: number }>();
  let characters = 0;
  const remove = (key: string) => {
    characters -= answers.get(key)?.answer.length ?? 0;
    answers.delete(key);
  };
  return {
    get(key, ttlMs) {
      const known = answers.get(key);
      if (!known || now() - known.at >= ttlMs) return undefined;
      answers.delete(key);
      answers.set(key, known);
      return known.answer;
    },
    set(key, answer) {
      remove(key);
      if (answer.length > maxCharacters / 8) return;
      answers.set(key, { answer, at: now() });
      characters += answer.length;
      for (const oldest of answers.keys()) {
        if (answers.size <= maxEntries && characters <= maxCharacters) break;
        remove(oldest);
      }
    },
  };
}

export const hashAnswerKey = ({ tenant, model, questionVersion, text }: AnswerKey): string =>
  hashParts(tenant, model, questionVersion, text);

/** The parts are framed as JSON, so that their ends cannot move. */
export const hashParts = (...parts: readonly string[]): string =>
  createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
