// Finds the files of a request of LiteLLM: guards judge none of them, and the protocol has no form for content that was not judged.
import { isObject } from '@millrace/contracts';
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

/** Returns the path of the first file, or undefined. The messages of an answer are those of its request, which was judged. */
export function findFile({ images, structured_messages: messages, input_type }: GuardrailRequest): string | undefined {
  if (images?.length) return 'images[0]';
  if (input_type === 'response') return undefined;
  return findFirst(messages, 'structured_messages', (message, path) => findInContent(message, path, 0));
}

function findInContent(message: unknown, path: string, level: number): string | undefined {
  if (!isObject(message)) return undefined;
  const findInPart = (part: unknown, at: string) => {
    if (!isObject(part)) return undefined;
    if (level >= MAX_LEVELS || !NO_FILES.has(part['type'])) return at;
    return findInContent(part, at, level + 1);
  };
  for (const name of PLACES) {
    const inside = message[name];
    const found = findFirst(Array.isArray(inside) ? inside : [inside], `${path}.${name}`, findInPart);
    if (found !== undefined) return found;
  }
}

function findFirst(
  values: readonly unknown[] | null | undefined,
  path: string,
  find: (value: unknown, path: string) => string | undefined,
): string | undefined {
  for (const [at, value] of (values ?? []).entries()) {
    const found = find(value, `${path}[${at}]`);
    if (found !== undefined) return found;
  }
  return undefined;
}
