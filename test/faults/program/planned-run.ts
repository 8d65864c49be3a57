// The runs of the load: the model's text, the text that the client must receive, and the secrets that must never be
// published. Texts are paced, and every secret is cut over chunks.
import { script, type ScriptElement } from '../../e2e/script.ts';
import type { SeededRandom } from './random.ts';

export type PlannedRun = {
  name: string;
  input: string;
  /** The answer of all steps after the guards. */
  visible: string;
  /** Texts of which no piece of `leakCharacters` may be published. */
  secrets: string[];
  /** Calls of the model, by tool. */
  calls: { book: number; note: number };
  /** Suspended until its question is answered after this time, ms. */
  answeredAfterMs?: number;
};

/**
 * Number of consecutive characters of a secret that count as a leak: fewer can be a coincidence, and times and ids
 * contain digits too.
 */
export const leakCharacters = (secret: string): number => (/^\d+$/.test(secret) ? 9 : 6);
const DELTAS = 60;
const DELTA_CHARACTERS = 7;
const DELAY_MS = 20;
const MAX_ANSWER_MS = 800;
const LETTERS = 'bcdfghjklmnpqrstvwxz';
const MAIL_MARK = '***@***.***';
const CARD_MARK = '[REDACTED]';

/** @param name unique: each run has its own secrets */
export function planRun(name: string, random: SeededRandom): PlannedRun {
  const kind = random.pick(['plain', 'plain', 'tools', 'reasoning', 'question']);
  const makeSecretText = tellSecrets(random);
  const element: ScriptElement = { text: makeSecretText.text, chunkSize: DELTA_CHARACTERS, delayMs: DELAY_MS };
  const common = { name, secrets: makeSecretText.secrets };
  const before = 'Let me see. ';
  const saidBefore = { text: before, chunkSize: DELTA_CHARACTERS, delayMs: DELAY_MS };
  if (kind === 'question') {
    const input = script({ ...saidBefore, toolCalls: [{ name: 'ask', args: { key: name } }] }, element);
    const answeredAfterMs = random.pickBetween(0, MAX_ANSWER_MS);
    return { ...common, input, visible: before + makeSecretText.visible, calls: { book: 0, note: 0 }, answeredAfterMs };
  }
  if (kind !== 'tools') {
    const reasoning = kind === 'reasoning' ? { reasoning: `I think of ${makeSecretText.address} first.` } : {};
    return {
      ...common,
      input: script({ ...element, ...reasoning }),
      visible: makeSecretText.visible,
      calls: { book: 0, note: 0 },
    };
  }
  const toolCalls = [
    { name: 'note', args: { key: name } },
    { name: 'book', args: { key: name } },
  ];
  const input = script({ ...saidBefore, toolCalls }, element);
  return { ...common, input, visible: before + makeSecretText.visible, calls: { book: 1, note: 1 } };
}

/** Words with an address and a card number between them, at different positions in each run. */
function tellSecrets(random: SeededRandom): { text: string; visible: string; address: string; secrets: string[] } {
  const local = letters(random, 12);
  const domain = letters(random, 10);
  const card = cardNumber(random);
  const [first, second] = [random.pickBetween(4, 25), random.pickBetween(30, 55)];
  const words = Array.from({ length: DELTAS }, (_, at) => `wd${String(at).padStart(3, '0')}`);
  const listTold = (mail: string, number: string) =>
    [...words.slice(0, first), mail, ...words.slice(first, second), number, ...words.slice(second)].join(' ');
  const address = `${local}@${domain}.com`;
  return {
    text: listTold(address, card),
    visible: listTold(MAIL_MARK, CARD_MARK),
    address,
    secrets: [local, domain, card],
  };
}

function letters(random: SeededRandom, length: number): string {
  return Array.from({ length }, () => LETTERS[random.pickBetween(0, LETTERS.length - 1)]).join('');
}

/** Sixteen digits with a valid card checksum. */
function cardNumber(random: SeededRandom): string {
  const digits = [4, ...Array.from({ length: 14 }, () => random.pickBetween(0, 9))];
  const sum = digits.reduce((total, digit, at) => total + doubleDigit(digit, at % 2 === 0), 0);
  return [...digits, (10 - (sum % 10)) % 10].join('');
}

function doubleDigit(digit: number, isDoubled: boolean): number {
  const value = isDoubled ? digit * 2 : digit;
  return value > 9 ? value - 9 : value;
}
