// Decodes base 32 and base 85 to text.
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

export function decodeBase32(text: string): string {
  const bytes: number[] = [];
  let [held, bits] = [0, 0];
  for (const letter of text) {
    const value = BASE32.indexOf(letter);
    if (value < 0) break;
    held = ((held << 5) | value) & 0xfff;
    bits += 5;
    if (bits < 8) continue;
    bits -= 8;
    bytes.push((held >> bits) & 0xff);
  }
  return Buffer.from(bytes).toString('utf8');
}

/** Adobe's form, between `<~` and `~>`. */
export function decodeBase85(text: string): string {
  const bytes: number[] = [];
  let group: number[] = [];
  const flush = () => {
    const length = group.length - 1;
    if (length < 1) return;
    while (group.length < 5) group.push(84);
    const value = group.reduce((sum, digit) => sum * 85 + digit, 0);
    for (let at = 0; at < length; at++) bytes.push(Math.floor(value / 256 ** (3 - at)) % 256);
    group = [];
  };
  for (const letter of text.slice(2, -2).replace(/\s/g, '')) {
    if (letter === 'z' && group.length === 0) bytes.push(0, 0, 0, 0);
    else group.push(letter.charCodeAt(0) - 33);
    if (group.length === 5) flush();
  }
  flush();
  return Buffer.from(bytes).toString('utf8');
}
