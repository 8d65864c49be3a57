// The answer of the one tool of both sides.
export const echoText = (text: string): { said: string; length: number } => ({ said: text, length: text.length });
