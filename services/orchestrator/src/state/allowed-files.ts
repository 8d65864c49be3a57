// Applies `files` of an agent: refuses files of a request, and replaces files of a prompt that memory or a processor has
// added. Pure.
import { isUtf8 } from 'node:buffer';
import {
  isBase64,
  isKnownMediaType,
  isObject,
  isPlainType,
  isTextType,
  type Files,
  type Issue,
  type Message,
  type Prompt,
} from '@millrace/contracts';

type FileContent = { data: unknown; mimeType: unknown };

/** Returns an issue for each file of the messages that the agent does not accept. */
export function findFileIssues(files: Files | undefined, messages: readonly Message[]): Issue[] {
  return listFiles(messages).flatMap(({ path, part }): Issue[] => {
    if (isAllowed(files, part)) return [];
    return [{ code: 'run-refused', path, ...REFUSALS[files === 'text' ? 'text' : 'refuse'] }];
  });
}

/** Maximum number of listed files. */
const MAX_UNJUDGED = 100;

/** Returns the paths of the first files that no guard can read. */
export const listUnjudged = (messages: readonly Message[]): string[] =>
  listFiles(messages)
    .flatMap(({ path, part }) => (isReadable(part) ? [] : [path]))
    .slice(0, MAX_UNJUDGED);

/** Returns the files of the messages with their paths. */
function listFiles(messages: readonly Message[]) {
  return messages.flatMap(({ content }, at) =>
    content.parts.flatMap((part, n) =>
      part.type === 'file' ? [{ path: `messages[${at}].content.parts[${n}]`, part }] : [],
    ),
  );
}

const REFUSALS = {
  refuse: {
    message: 'This agent accepts no files: its processors judge text.',
    remedy:
      'Send the content as text, or set `files: text` (text files) or `files: pass` (all, unjudged) in the agent.',
  },
  text: {
    message: 'This agent accepts only files that its processors read: UTF-8 of a text type as base64, no URL.',
    remedy: 'Send such a file or its text, or set `files: pass` (all files, unjudged) in the agent.',
  },
};

function isAllowed(files: Files | undefined, file: FileContent): boolean {
  if (files === undefined || files === 'pass') return true;
  return files === 'text' && isReadable(file);
}

/** Returns whether guards read all of the file: behind a URL, or in another encoding, a model could read another text. */
function isReadable({ data, mimeType }: FileContent): boolean {
  if (!isTextType(mimeType) || !isPlainType(mimeType) || typeof data !== 'string' || !isBase64(data)) return false;
  const bytes = Buffer.from(data, 'base64');
  return isUtf8(bytes) && !bytes.includes(0);
}

/** Types of parts of a prompt that are no files. */
const NO_FILES: ReadonlySet<unknown> = new Set(['text', 'reasoning', 'tool-call', 'tool-approval-response']);

/** Returns the prompt with a text in place of each file that the agent does not accept; the same prompt without any. */
export function omitFiles(prompt: Prompt, files: Files | undefined): Prompt {
  if (files === undefined || files === 'pass') return prompt;
  return mapChanged(prompt, (message) => {
    const { content } = message;
    if (!Array.isArray(content)) return message;
    const parts: unknown[] = mapChanged(content, (part: unknown) => omitFile(part, files));
    return parts === content ? message : { ...message, content: parts };
  });
}

function omitFile(part: unknown, files: Files): unknown {
  if (!isObject(part) || NO_FILES.has(part['type'])) return part;
  const { type, output } = part;
  if (type === 'tool-result') {
    if (!isObject(output) || output['type'] !== 'content' || !Array.isArray(output['value'])) return part;
    const value = mapChanged(output['value'], (one: unknown) => omitFile(one, files));
    return value === output['value'] ? part : { ...part, output: { ...output, value } };
  }
  const { data, mediaType } = part;
  const isFile = type === 'file' && isObject(data) && data['type'] === 'data';
  if (isFile && isAllowed(files, { data: data['data'], mimeType: mediaType })) return part;
  const named = isKnownMediaType(mediaType) ? ` of the type ${String(mediaType)}` : '';
  const reason = files === 'text' ? 'only files of text' : 'no files';
  return { type: 'text', text: `[A file${named} is omitted here: this agent accepts ${reason}.]` };
}

function mapChanged<T>(values: T[], map: (value: T) => T): T[] {
  const mapped = values.map(map);
  return mapped.every((value, at) => value === values[at]) ? values : mapped;
}
