// Sends files over each protocol of callers.
import { buildTextMessage, type Message } from '@millrace/contracts';
import type { TestStack } from '@millrace/testkit';
import OpenAI from 'openai';
import { makeFile, PNG, withParts, type File } from './file-processors.ts';

export const FILES = {
  image: makeFile('image/png', PNG),
  document: makeFile('application/pdf', 'JVBERi0xLjQ='),
  text: makeFile('text/plain', btoa('A plain text.')),
  'JSON text': makeFile('application/json', btoa('{"a":1}')),
  'image of a text type': makeFile('text/plain', PNG),
  'text of another encoding': makeFile('text/plain', btoa('Caf\u{e9}')),
  'text with null characters': makeFile('text/plain', btoa('\0A\0B')),
  'URL of an image': makeFile('image/png', 'https://example.com/a.png'),
  'URL of a text': makeFile('text/plain', 'https://example.com/a.txt'),
} as const;
export type FileName = keyof typeof FILES;
export const FILE_NAMES: readonly FileName[] = Object.keys(FILES).filter((name): name is FileName => name in FILES);
export const READABLE: ReadonlySet<string> = new Set<FileName>(['text', 'JSON text']);

/** The client of the model's provider has a form for them; it refuses the others. */
export const ASKED: ReadonlySet<string> = new Set<FileName>(['image', 'document', 'URL of an image', 'URL of a text']);

/** Sends the file in the last message of the user, or in an earlier one. */
export type SendFile = (agent: string, file: File, isEarlier: boolean) => Promise<unknown>;

const looking = { type: 'text' as const, text: 'Look.' };
const makeUrl = ({ data, mimeType }: File) => (data.startsWith('http') ? data : `data:${mimeType};base64,${data}`);
const isImage = ({ mimeType }: File) => mimeType.startsWith('image/');
/** Lists the protocols with which a caller sends a file. @param readTarget returns the gateway and a key of it, once they exist */
export function createFileDoors(
  stack: TestStack,
  readTarget: () => { url: string; key: string },
): Record<string, SendFile> {
  const post = async (path: string, body: object): Promise<string> => {
    const { url, key } = readTarget();
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer = await response.text();
    if (!response.ok) throw new Error(answer);
    return answer;
  };

  const connect = () => {
    const { url, key } = readTarget();
    return new OpenAI({ apiKey: key, baseURL: `${url}/v1`, maxRetries: 0 });
  };
  return {
    'chat completions': (model, file, isEarlier) => {
      const part = isImage(file)
        ? { type: 'image_url' as const, image_url: { url: makeUrl(file) } }
        : { type: 'file' as const, file: { filename: 'a', file_data: makeUrl(file) } };
      const first = { role: 'user' as const, content: [{ type: 'text' as const, text: 'Look.' }, part] };
      const later = [
        { role: 'assistant' as const, content: 'Yes.' },
        { role: 'user' as const, content: 'And now?' },
      ];
      return connect().chat.completions.create({ model, messages: isEarlier ? [first, ...later] : [first] });
    },
    responses: (model, file, isEarlier) => {
      const part = isImage(file)
        ? { type: 'input_image' as const, image_url: makeUrl(file), detail: 'auto' as const }
        : { type: 'input_file' as const, filename: 'a', file_data: makeUrl(file) };
      const first = { role: 'user' as const, content: [{ type: 'input_text' as const, text: 'Look.' }, part] };
      const later = [
        { role: 'assistant' as const, content: 'Yes.' },
        { role: 'user' as const, content: 'And now?' },
      ];
      return connect().responses.create({ model, input: isEarlier ? [first, ...later] : [first] });
    },
    useChat: async (agent, file, isEarlier) => {
      const part = { type: 'file', mediaType: file.mimeType, url: makeUrl(file) };
      const first = { id: 'm1', role: 'user', parts: [looking, part] };
      const later = [
        { id: 'm2', role: 'assistant', parts: [{ type: 'text', text: 'Yes.' }] },
        { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'And now?' }] },
      ];
      const messages = isEarlier ? [first, ...later] : [first];
      const answer = await post(`/v1/agents/${agent}/ui`, { id: crypto.randomUUID(), messages });
      if (answer.includes('"type":"error"')) throw new Error(answer);
    },
    'the own API': async (agent, file, isEarlier) => {
      const answer = await post(`/v1/agents/${agent}/runs?wait=30`, { input: makeMessages(file, isEarlier) });
      if (answer.includes('"status":"failed"')) throw new Error(answer);
    },
    NATS: async (agent, file, isEarlier) => {
      const { error } = await stack.client.generate(agent, makeMessages(file, isEarlier));
      if (error) throw Object.assign(new Error(error.message), { remedy: error.remedy });
    },
  };
}

export function makeMessages(file: File, isEarlier: boolean): Message[] {
  const first = withParts('m1', 'user', [looking, file]);
  return isEarlier
    ? [first, buildTextMessage('m2', 'assistant', 'Yes.'), buildTextMessage('m3', 'user', 'And now?')]
    : [first];
}
