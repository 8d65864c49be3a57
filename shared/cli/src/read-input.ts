// Reads stdin to its end. The size is bounded, because an endless stream must not exhaust the memory.
import { UsageError } from './usage-error.ts';

/** @throws UsageError if the input exceeds the limit or is not UTF-8 */
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
    throw new UsageError('the input on stdin is not valid UTF-8', 'millrace run');
  }
}
