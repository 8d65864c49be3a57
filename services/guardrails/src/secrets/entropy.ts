// How hard a value is to guess, seen from its characters alone.

/** Shannon's entropy, bits a character. */
export function entropyOf(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}

/** How often the kind of character (small, capital, digit, other) changes, of all places where it might. */
export function changesOf(value: string): number {
  const kinds = value.split('').map(kindOf);
  const changes = kinds.filter((kind, at) => at > 0 && kind !== kinds[at - 1]).length;
  return changes / Math.max(1, value.length - 1);
}

export const kindsIn = (value: string): number => new Set(value.split('').map(kindOf)).size;

function kindOf(character: string): string {
  if (/[a-z]/.test(character)) return 'small';
  if (/[A-Z]/.test(character)) return 'capital';
  return /\d/.test(character) ? 'digit' : 'other';
}
