// The runs of the load: what the model will say, what the client must see of it, and what nobody may ever see. Texts are paced, and
// every secret is cut over chunks.
import { script, type ScriptElement } from '../../e2e/script.ts';
import type { Random } from './random.ts';

export type PlannedRun = {
  name: string;
  input: string;
  /** The answer as the guards must leave it, all steps together. */
  visible: string;
  /** Texts of which no piece of `leakCharacters` may turn up anywhere. */
  secrets: string[];
  /** Calls that the model makes, by tool. */
  calls: { book: number; note: number };
  /** It is put away until its question is answered: after so long, ms. */
  answeredAfterMs?: number;
};

/** So many characters of a secret in a row are a leak: fewer may be chance, and digits stand in times and ids too. */
export const leakCharacters = (secret: string): number => (/^\d+$/.test(secret) ? 9 : 6);
const DELTAS = 60;
const DELTA_CHARACTERS = 7;
const DELAY_MS = 20;
const MAX_ANSWER_MS = 800;
const LETTERS = 'bcdfghjklmnpqrstvwxz';
const MAIL_MARK = '***@***.***';
const CARD_MARK = '[REDACTED]';

/** @param name unique: no two runs have one secret */
export function planRun(name: string, random: Random): PlannedRun {
  const kind = random.pick(['plain', 'plain', 'tools', 'reasoning', 'question']);
  const told = tellSecrets(random);
  const element: ScriptElement = { text: told.text, chunkSize: DELTA_CHARACTERS, delayMs: DELAY_MS };
  const common = { name, secrets: told.secrets };
  const before = 'Let me see. ';
  const saidBefore = { text: before, chunkSize: DELTA_CHARACTERS, delayMs: DELAY_MS };
  if (kind === 'question') {
    const input = script({ ...saidBefore, toolCalls: [{ name: 'ask', args: { key: name } }] }, element);
    const answeredAfterMs = random.between(0, MAX_ANSWER_MS);
    return { ...common, input, visible: before + told.visible, calls: { book: 0, note: 0 }, answeredAfterMs };
  }
  if (kind !== 'tools') {
    const reasoning = kind === 'reasoning' ? { reasoning: `I think of ${told.address} first.` } : {};
    return {
      ...common,
      input: script({ ...element, ...reasoning }),
      visible: told.visible,
      calls: { book: 0, note: 0 },
    };
  }
  const toolCalls = [
    { name: 'note', args: { key: name } },
    { name: 'book', args: { key: name } },
  ];
  const input = script({ ...saidBefore, toolCalls }, element);
  return { ...common, input, visible: before + told.visible, calls: { book: 1, note: 1 } };
}

/** Words with an address and a card number between them, at places of their own in each run. */
function tellSecrets(random: Random): { text: string; visible: string; address: string; secrets: string[] } {
  const local = letters(random, 12);
  const domain = letters(random, 10);
  const card = cardNumber(random);
  const [first, second] = [random.between(4, 25), random.between(30, 55)];
  const words = Array.from({ length: DELTAS }, (_, at) => `wd${String(at).padStart(3, '0')}`);
  const told = (mail: string, number: string) =>
    [...words.slice(0, first), mail, ...words.slice(first, second), number, ...words.slice(second)].join(' ');
  const address = `${local}@${domain}.com`;
  return {
    text: told(address, card),
    visible: told(MAIL_MARK, CARD_MARK),
    address,
    secrets: [local, domain, card],
  };
}

function letters(random: Random, length: number): string {
  return Array.from({ length }, () => LETTERS[random.between(0, LETTERS.length - 1)]).join('');
}

/** Sixteen digits of which the last makes the others a card's. */
function cardNumber(random: Random): string {
  const digits = [4, ...Array.from({ length: 14 }, () => random.between(0, 9))];
  const sum = digits.reduce((total, digit, at) => total + doubled(digit, at % 2 === 0), 0);
  return [...digits, (10 - (sum % 10)) % 10].join('');
}

function doubled(digit: number, isDoubled: boolean): number {
  const value = isDoubled ? digit * 2 : digit;
  return value > 9 ? value - 9 : value;
}
