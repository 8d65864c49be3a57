// Converts prompts to specification V2 (LanguageModelV2Prompt of @ai-sdk/provider 2), which the reference uses in its
// stages, and back to V4, the wire form. Unchanged parts return to their original form, also parts that V2 cannot
// express.
import { isObject, type Prompt } from '@millrace/contracts';
import { copyJson } from './json-values.ts';

type ProviderMessage = Prompt[number];

export type PromptV2 = {
  /** To be handed over: it may be edited in place. */
  prompt: ProviderMessage[];
  /** undefined: it is as it was. @throws not-json */
  restore(returned: unknown): unknown;
};

export function toPromptV2(given: Prompt): PromptV2 {
  /** The V4 original of each part and each message, by its V2 form. */
  const origins = new Map<string, unknown>();
  const noteOrigin = <T>(v2: T, v4: unknown): T => (origins.set(JSON.stringify(v2), v4), v2);
  const prompt = given.map((message): ProviderMessage => {
    const { content } = message;
    const v2 = Array.isArray(content)
      ? { ...message, content: content.map((part) => noteOrigin(toV2(structuredClone(part)), part)) }
      : { ...message };
    return noteOrigin(v2, message);
  });
  const before = JSON.stringify(prompt);
  const restorePart = (part: unknown): unknown => origins.get(JSON.stringify(part)) ?? toV4(part);
  const restoreMessage = (message: unknown): unknown => {
    const known = origins.get(JSON.stringify(message));
    if (known !== undefined || !isObject(message)) return known ?? message;
    const { content } = message;
    return { ...message, content: Array.isArray(content) ? content.map(restorePart) : content };
  };
  return {
    prompt,
    restore(returned) {
      if (JSON.stringify(returned) === before) return undefined;
      return copyJson(Array.isArray(returned) ? returned.map(restoreMessage) : returned, 'prompt');
    },
  };
}

function toV2(part: unknown): unknown {
  if (!isObject(part)) return part;
  if (part['type'] === 'file') return { ...part, data: convertDataToV2(part['data']) };
  return part['type'] === 'tool-result' ? { ...part, output: convertOutputToV2(part['output']) } : part;
}

function convertDataToV2(data: unknown): unknown {
  if (!isObject(data)) return data;
  if (data['type'] === 'data') return data['data'];
  if (data['type'] === 'url') return new URL(String(data['url']));
  return data['type'] === 'text' ? Buffer.from(String(data['text'])).toString('base64') : data;
}

function convertOutputToV2(output: unknown): unknown {
  if (!isObject(output)) return output;
  const { value, reason } = output;
  if (output['type'] === 'execution-denied')
    return { type: 'error-text', value: typeof reason === 'string' ? reason : 'Denied.' };
  return output['type'] === 'content' && Array.isArray(value)
    ? { ...output, value: value.map(convertMediaToV2) }
    : output;
}

function convertMediaToV2(item: unknown): unknown {
  if (!isObject(item) || item['type'] !== 'file') return item;
  const data = convertDataToV2(item['data']);
  return { type: 'media', data: data instanceof URL ? data.href : data, mediaType: item['mediaType'] };
}

function toV4(part: unknown): unknown {
  if (!isObject(part)) return part;
  if (part['type'] === 'file') return { ...part, data: convertDataToV4(part['data']) };
  const { output } = part;
  if (part['type'] !== 'tool-result' || !isObject(output) || !Array.isArray(output['value'])) return part;
  return output['type'] === 'content'
    ? { ...part, output: { ...output, value: output['value'].map(convertMediaToV4) } }
    : part;
}

function convertDataToV4(data: unknown): unknown {
  if (data instanceof URL) return { type: 'url', url: data.href };
  if (data instanceof Uint8Array) return { type: 'data', data: Buffer.from(data).toString('base64') };
  if (typeof data !== 'string') return data;
  return /^https?:\/\//.test(data) ? { type: 'url', url: data } : { type: 'data', data };
}

function convertMediaToV4(item: unknown): unknown {
  if (!isObject(item) || item['type'] !== 'media') return item;
  return { type: 'file', data: convertDataToV4(item['data']), mediaType: item['mediaType'] };
}
