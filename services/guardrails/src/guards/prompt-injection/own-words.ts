// Lowers signals of users who write about their own conversation: the instructions that they gave themselves, new ones
// that they state, and a translation or a summary of a text that they quote above.
import type { Signal } from './signals.ts';

/** Distance after a signal within which such words count, in code units. */
const REACH = 60;
/** Weight of such a signal: in doubt in a short text, an attack only with further evidence. */
const LOWERED = 2.4;

/** "the instructions I gave you", "the rules that we agreed on". */
const given =
  /\b(?:instructions?|rules?|guidelines?|directions?|prompts?|orders?)\s+(?:that\s+|which\s+)?(?:I|we)(?:['’](?:ve|d))?\s+(?:(?:just|already|have|had|first|originally)\s+){0,2}(?:gave|given|sent|wrote|written|typed|told|shared|posted|pasted|listed|agreed|set)\b/;
/** "follow the new instructions: be brief", where the instructions follow in plain sight. */
const stated =
  /^(?:please\s+)?(?:follow|use|apply|obey)\s+(?:the|these|my)\s+new\s+(?:instructions|rules|guidelines)\s?:/i;
/** "translate the instructions above into German". */
const quoted =
  /^(?:translate|summari[sz]e|shorten|simplify|explain|proofread)\s+(?:the|these)\s+(?:instructions|rules|guidelines|directions)\s+(?:written\s+|given\s+|shown\s+)?above\b(?!\s+(?:this|my|our|the)\b)/i;

const REVEALING = new Set(['prompt-leak', 'new-instructions']);

/** Words for what the user did not write. */
const others = /\b(?:your|system|hidden|initial)\b/i;

/** @param length of the signal at the start of the words */
function isGiven(words: string, length: number): boolean {
  const match = given.exec(words);
  return match !== null && match.index < length && !others.test(words.slice(0, length));
}

/** @param text of a user */
export function weighOwnWords(text: string, signals: readonly Signal[]): Signal[] {
  return signals.map((signal) => {
    if (!REVEALING.has(signal.rule) || signal.codes || signal.weight <= LOWERED) return signal;
    const words = text.slice(signal.start, signal.end + REACH);
    const isOwn = isGiven(words, signal.end - signal.start) || stated.test(words) || quoted.test(words);
    return isOwn ? { ...signal, weight: LOWERED } : signal;
  });
}
