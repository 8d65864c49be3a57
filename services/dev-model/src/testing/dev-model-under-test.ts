// A stand-in on a port of its own, with the provider's real client aimed at it and its log lines kept.
import { createOpenAI } from '@ai-sdk/openai';
import { afterAll } from 'vitest';
import { startDevModel } from '../start-dev-model.ts';

type LanguageModel = ReturnType<ReturnType<typeof createOpenAI>['responses']>;
export type StreamPart =
  Awaited<ReturnType<LanguageModel['doStream']>>['stream'] extends ReadableStream<infer Part> ? Part : never;
export type Prompt = Parameters<LanguageModel['doStream']>[0]['prompt'];

export type LogLine = { readonly fields: Readonly<Record<string, unknown>>; readonly message: string };

export async function devModelUnderTest() {
  const lines: LogLine[] = [];
  const waiting = new Set<() => void>();
  const write = (fields: object, message: string) => {
    lines.push({ fields: { ...fields }, message });
    for (const check of waiting) check();
  };
  const devModel = await startDevModel({ port: 0, log: { info: write, warn: write, error: write } });
  afterAll(() => devModel.close({ closeTimeoutMs: 0 }));
  const openai = createOpenAI({ baseURL: `${devModel.url}/v1`, apiKey: 'not-asked-for' });

  return {
    ...devModel,
    openai,
    lines,
    /** The first log line, past or to come, that passes. */
    logged: (passes: (line: LogLine) => boolean) =>
      new Promise<LogLine>((resolve) => {
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

export const userPrompt = (text: string): Prompt => [{ role: 'user', content: [{ type: 'text', text }] }];

/** A user message that holds a script, and the header that makes this the run's n-th call. */
export const scripted = (elements: readonly unknown[], n = 1) => ({
  prompt: userPrompt(`Please do as scripted.\n\`\`\`script\n${JSON.stringify(elements)}\n\`\`\``),
  headers: { 'X-Client-Request-Id': `run-1.${n}` },
});

export async function partsOf(stream: ReadableStream<StreamPart>): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const part of stream) parts.push(part);
  return parts;
}

export const deltasOf = (parts: readonly StreamPart[], type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta') =>
  parts.flatMap((part) => (part.type === type ? [part.delta] : []));

export function partOf<T extends StreamPart['type']>(
  parts: readonly StreamPart[],
  type: T,
): Extract<StreamPart, { type: T }> {
  const found = parts.find((part): part is Extract<StreamPart, { type: T }> => part.type === type);
  if (found === undefined) throw new Error(`There is no ${type} in ${parts.map((part) => part.type).join(', ')}`);
  return found;
}
