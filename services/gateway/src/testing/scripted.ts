// Scripts the answers of dev-model: the last message of the user holds one element for each model call.
export type ScriptElement = {
  text?: string;
  reasoning?: string;
  chunkSize?: number;
  delayMs?: number;
  toolCalls?: { id?: string; name: string; args: object | string }[];
  finish?: 'stop' | 'length';
  error?: { status: number; message: string };
};

export const script = (...elements: ScriptElement[]): string =>
  `Follow the script.\n\n\`\`\`script\n${JSON.stringify(elements)}\n\`\`\``;
