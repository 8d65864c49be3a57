// A dev-model on its own port with the provider's real client and recorded log lines.
import { createOpenAI } from '@ai-sdk/openai';
import { afterAll } from 'vitest';
import { startDevModel } from '../start-dev-model.ts';

type ProviderModel = ReturnType<ReturnType<typeof createOpenAI>['responses']>;
export type StreamPart =
  Awaited<ReturnType<ProviderModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
export type SdkPrompt = Parameters<ProviderModel['doStream']>[0]['prompt'];

export type DevModelLine = { readonly fields: Readonly<Record<string, unknown>>; readonly message: string };

export async function startDevModelUnderTest(options: { contextWindow?: number } = {}) {
  const lines: DevModelLine[] = [];
  const waiting = new Set<() => void>();
  const write = (fields: object, message: string) => {
    lines.push({ fields: { ...fields }, message });
    for (const check of waiting) check();
  };
  const devModel = await startDevModel({ ...options, port: 0, log: { info: write, warn: write, error: write } });
  afterAll(() => devModel.close({ closeTimeoutMs: 0 }));
  const openai = createOpenAI({ baseURL: `${devModel.url}/v1`, apiKey: 'not-asked-for' });

  return {
    ...devModel,
    openai,
    lines,
    /** Resolves with the first past or future log line that passes. */
    waitForLog: (passes: (line: DevModelLine) => boolean) =>
      new Promise<DevModelLine>((resolve) => {
        const check = () => {
          const line = lines.find(passes);
          if (line === undefined) return;
          waiting.delete(check);
          resolve(line);
        };
        waiting.add(check);
        check();
      }),
    post: (path: string, body: unknown, headers: Record<string, string> = {}) =>
      fetch(devModel.url + path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

export const apis = ['chat', 'responses'] as const;

export const userPrompt = (text: string): SdkPrompt => [{ role: 'user', content: [{ type: 'text', text }] }];

/** A user message with a script, and the header that makes this the n-th call of the run. */
export const makeScriptedCall = (elements: readonly unknown[], n = 1) => ({
  prompt: userPrompt(`Please do as scripted.\n\`\`\`script\n${JSON.stringify(elements)}\n\`\`\``),
  headers: { 'X-Client-Request-Id': `run-1.${n}` },
});

export async function collectParts(stream: ReadableStream<StreamPart>): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

export const listDeltas = (parts: readonly StreamPart[], type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta') =>
  parts.flatMap((part) => (part.type === type ? [part.delta] : []));

export function findPart<T extends StreamPart['type']>(
  parts: readonly StreamPart[],
  type: T,
): Extract<StreamPart, { type: T }> {
  const found = parts.find((part): part is Extract<StreamPart, { type: T }> => part.type === type);
  if (found === undefined) throw new Error(`There is no ${type} in ${parts.map((part) => part.type).join(', ')}`);
  return found;
}
