// The text of a file part. Guards judge the words of a text file like any other text; bytes of other types are not text.
import { isTextType } from '@millrace/contracts';

/** Base64 has no colon. A pattern of a scheme would exhaust the stack on megabytes of letters. */
const isUrl = (data: string): boolean => data.includes(':');
const toText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/**
 * Maps the text of a base64 file of a text type, or a URL in place of the bytes; returns the same data if nothing
 * changed, or if the type is not text.
 * @param map returns the mapped text; another value than a string becomes its JSON
 */
export function mapFileText(data: string, mimeType: unknown, map: (text: string) => unknown): string {
  if (isUrl(data)) return toText(map(data));
  if (!isTextType(mimeType)) return data;
  const bytes = Buffer.from(data, 'base64');
  const isWide = bytes[0] === 0xff && bytes[1] === 0xfe;
  const text = new TextDecoder(isWide ? 'utf-16le' : 'utf-8').decode(bytes);
  const mapped = map(text);
  if (mapped === text) return data;
  return Buffer.from(toText(mapped)).toString('base64');
}
