// A text from stdin, to its end. Bounded: a stream that never ends must not fill the memory.
import { UsageError } from './usage-error.ts';

/** @throws UsageError when there is more, or when it is no UTF-8 */
export async function readInput(input: AsyncIterable<Buffer | string>, maxBytes: number): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of input) {
    const buffer = Buffer.from(part);
    bytes += buffer.length;
    if (bytes > maxBytes) throw new UsageError(`the text on stdin is longer than ${maxBytes} bytes`, 'millrace run');
    parts.push(buffer);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new UsageError('what came on stdin is no text in UTF-8', 'millrace run');
  }
}
