// Converts a result of MCP to the JSON that the model receives, and that processToolResult judges first. Guards judge
// text: images, audio and binary resources are left out and named.
import type { CallToolResult } from '@modelcontextprotocol/client';
import { readJson, type JsonValue } from '@millrace/contracts';
import { JsonText, type ToolOutput } from '@millrace/processor';
import { isDeepStrictEqual } from 'node:util';
import { readKeptText } from './kept-content.ts';

/** UTF-16 units of all texts of a result, and of its structured content as JSON. */
const MAX_CHARACTERS = 256 * 1024;
const MAX_BLOCKS = 1_000;

type ContentBlock = CallToolResult['content'][number];
type ReadBlock = { text: string } | { omitted: string };

/**
 * Returns the text, or the structured content if the text repeats it as MCP asks of servers. An object has everything else: `error`: the
 * tool reports that it failed. `omitted`: content without a text. Both texts are the server's own words.
 */
export function readResult({ content, structuredContent, isError }: CallToolResult): ToolOutput {
  const blocks = content.slice(0, MAX_BLOCKS).map(readBlock);
  const all = blocks.flatMap((block) => ('text' in block ? [block.text] : [])).join('\n');
  const omitted = blocks.flatMap((block) => ('omitted' in block ? [block.omitted] : []));
  if (content.length > MAX_BLOCKS) omitted.push(`${content.length - MAX_BLOCKS} further blocks`);
  if (all.length > MAX_CHARACTERS) omitted.push(`${all.length - MAX_CHARACTERS} characters at the end of the text`);
  const structured = readStructured(structuredContent);
  if (structured === 'too large') omitted.push('the structured content, which is too large');
  const text = cutText(all);
  const isWhole = isError !== true && omitted.length === 0;
  if (isWhole && structured === undefined) return text;
  const own = typeof structured === 'object' ? structured : undefined;
  if (isWhole && own && (text === '' || isRepetition(text, own.value))) return own.output;
  const whole = {
    ...(isError === true && { error: true }),
    text,
    ...(own && { structured: own.value }),
    ...(omitted.length > 0 && { omitted }),
  };
  if (!own || !(own.output instanceof JsonText)) return whole;
  const [before = '', after = ''] = JSON.stringify({ ...whole, structured: 0 }).split('"structured":0');
  return new JsonText(`${before}"structured":${own.output.text}${after}`);
}

function isRepetition(text: string, structured: JsonValue): boolean {
  const read = readJson(text);
  return read !== undefined && isDeepStrictEqual(read.value, structured);
}

function readBlock(block: ContentBlock): ReadBlock {
  switch (block.type) {
    case 'text':
      return { text: block.text };
    case 'resource_link':
      return { text: [block.name, block.uri, block.description ?? ''].filter((part) => part !== '').join(' ') };
    case 'resource':
      return 'text' in block.resource
        ? { text: block.resource.text }
        : { omitted: `a binary resource, ${countBytes(block.resource.blob)} bytes` };
    case 'image':
      return { omitted: `an image, ${countBytes(block.data)} bytes` };
    case 'audio':
      return { omitted: `audio, ${countBytes(block.data)} bytes` };
    default:
      return { omitted: 'content of an unknown kind' };
  }
}

/** @param data base64 */
const countBytes = (data: string): number => Math.floor((data.length * 3) / 4);

/** Does not cut a surrogate pair. */
function cutText(text: string): string {
  const cut = text.slice(0, MAX_CHARACTERS);
  return /[\uD800-\uDBFF]$/.test(cut) ? cut.slice(0, -1) : cut;
}

type KeptContent = { value: JsonValue; output: ToolOutput };

function readStructured(content: unknown): KeptContent | 'too large' | undefined {
  if (content === undefined) return undefined;
  const text = readKeptText(content) ?? JSON.stringify(content);
  const read = text.length > MAX_CHARACTERS ? undefined : readJson(text);
  if (!read) return 'too large';
  return { value: read.value, output: JSON.stringify(read.value) === text ? read.value : new JsonText(text) };
}
