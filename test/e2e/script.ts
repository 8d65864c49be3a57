// Scripts the answers of dev-model: a script is in the last user message, one element for each model call.
export type ScriptElement = {
  text?: string;
  reasoning?: string;
  chunkSize?: number;
  delayMs?: number;
  toolCalls?: { id?: string; name: string; args: object | string }[];
  finish?: 'stop' | 'length';
  error?: { status: number; message: string; retryAfterSeconds?: number };
};

export function script(...elements: ScriptElement[]): string {
  return `Say what the script says.\n\n\`\`\`script\n${JSON.stringify(elements)}\n\`\`\``;
}
