// Escapes each character of a text for the scripted model as JSON, so that the caller's message does not contain it
// literally. A later match therefore originates from the model.
function spellOut(text: string): string {
  return text.replaceAll(/[^]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Builds a script with the values of `secrets` escaped everywhere. */
export function escapeScript(elements: readonly object[], ...secrets: string[]): string {
  const json = secrets.reduce((text, secret) => text.replaceAll(secret, spellOut(secret)), JSON.stringify(elements));
  return `Say what the script says.\n\n\`\`\`script\n${json}\n\`\`\``;
}
