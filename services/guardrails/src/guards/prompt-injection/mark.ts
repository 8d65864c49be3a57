// Pattern of a text that imitates another part of the conversation, and what lets the search skip it.
import type { Aim, Weight } from './rules/rule.ts';

export type WordMark = {
  id: string;
  weight: Weight;
  aim?: Aim;
  /** Texts of which a match contains one, in lower case, if it contains no word of `needsWords`. */
  needs?: readonly string[];
  /** Words of which a match contains one, in lower case and as a whole. Absent, like `needs`: any text may match. */
  needsWords?: readonly string[];
  /** Words of which a match starts with one, in lower case and as a whole. */
  firstWords?: readonly string[];
  /** Maximum number of units of a match before its first word. */
  before?: number;
  /** For matches that start at a line of ROLE_LINE. */
  startsAtRole?: true;
  pattern: RegExp;
  /** For tool results only. */
  where?: 'tool';
  /** For closing marks that are harmless in pairs: no opening of the same name may precede. */
  toOpeningPattern?: (name: string) => RegExp;
};

/** A line that starts like a turn of a conversation. */
export const ROLE_LINE =
  /^[ \t>*#"'\-[(]{0,8}(?:user|human|q|assistant|ai|bot|chatgpt|gpt|model|system|developer|admin)/gim;
