// What the one tool of both sides answers.
export const echoed = (text: string): { said: string; length: number } => ({ said: text, length: text.length });
