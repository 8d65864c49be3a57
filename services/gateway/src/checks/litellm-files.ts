// Finds the files of a request of LiteLLM, in its images and in the parts of its messages.
import { isObject } from '@millrace/contracts';
import { createFilePart } from '../agents/file-part.ts';
import type { GuardrailRequest } from './litellm-request.ts';

/** Types of parts of a message that hold text, calls and results. Parts of other types are files. */
const NO_FILES: ReadonlySet<unknown> = new Set([
  'text',
  'input_text',
  'output_text',
  'summary_text',
  'reasoning_text',
  'refusal',
  'thinking',
  'redacted_thinking',
  'tool_use',
  'tool_result',
  'tool_call',
  'function_call',
  'function_call_output',
]);
/** Members with parts: of a message, a result of a tool, and an output of a function. */
const PLACES = ['content', 'output'] as const;
/** Levels of content in results of tools. */
const MAX_LEVELS = 8;

/** `part`: absent if the form of the file is not known. */
export type LiteLlmFile = { path: string; part?: ReturnType<typeof createFilePart> | undefined };

/** Returns each file once, because the images are those of the messages too. The messages of an answer are those of its request, which was judged. */
export function listFiles({ images, structured_messages: messages, input_type }: GuardrailRequest): LiteLlmFile[] {
  const own = (images ?? []).map((image, at) => readFile({ type: 'image_url', image_url: image }, `images[${at}]`));
  if (input_type === 'response') return own;
  const inside = (messages ?? []).flatMap((message, at) => listContent(message, `structured_messages[${at}]`, 0));
  const known = new Set<string>();
  return [...own, ...inside].filter(({ path, part }) => {
    const key = part ? `${part.mimeType} ${part.data}` : path;
    return !known.has(key) && known.add(key);
  });
}

function listContent(message: unknown, path: string, level: number): LiteLlmFile[] {
  if (!isObject(message)) return [];
  return PLACES.flatMap((name) => {
    const inside = message[name];
    const parts: unknown[] = Array.isArray(inside) ? inside : [inside];
    return parts.flatMap((part, at) => listInPart(part, `${path}.${name}[${at}]`, level));
  });
}

function listInPart(part: unknown, path: string, level: number): LiteLlmFile[] {
  if (!isObject(part)) return [];
  if (level < MAX_LEVELS && NO_FILES.has(part['type'])) return listContent(part, path, level + 1);
  return [readFile(part, path)];
}

function readFile(part: Record<string, unknown>, path: string): LiteLlmFile {
  const { data, otherType, filename } = readData(part);
  if (typeof data !== 'string') return { path };
  try {
    return { path, part: createFilePart(data, { otherType, path, ...(typeof filename === 'string' && { filename }) }) };
  } catch {
    return { path };
  }
}

type FileData = { data?: unknown; otherType: string; filename?: unknown };

/** Reads the parts of chat completions, of responses, and of messages. */
function readData(part: Record<string, unknown>): FileData {
  const { type, image_url: image, file, source } = part;
  if (type === 'image_url' || type === 'input_image')
    return { data: isObject(image) ? image['url'] : image, otherType: 'image/*' };
  if (type === 'file' && isObject(file)) return readNamed(file);
  if (type === 'input_file') return readNamed(part);
  const isBase64 = isObject(source) && source['type'] === 'base64' && typeof source['media_type'] === 'string';
  return isBase64 ? { data: source['data'], otherType: String(source['media_type']) } : { otherType: '' };
}

const readNamed = ({ file_data: data, filename }: Record<string, unknown>): FileData => ({
  data,
  filename,
  otherType: 'application/octet-stream',
});
