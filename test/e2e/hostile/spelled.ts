// A text for the scripted model that does not stand literally in the caller's message: each character as a JSON escape. What is found of it
// later was said by the model.
function spelled(text: string): string {
  return text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A script, the values of `secrets` spelled wherever they stand. */
export function spelledScript(elements: readonly object[], ...secrets: string[]): string {
  const json = secrets.reduce((text, secret) => text.replaceAll(secret, spelled(secret)), JSON.stringify(elements));
  return `Say what the script says.\n\n\`\`\`script\n${json}\n\`\`\``;
}
