// Reads stdin: to its end, line by line, or as the text of a command. The size is bounded, because an endless stream must
// not exhaust the memory.
import { createInterface } from 'node:readline';
import type { LineReader, CliIo } from './cli-io.ts';
import { UsageError } from './usage-error.ts';

/** @throws UsageError if the input exceeds the limit or is not UTF-8 */
export async function readInput(
  input: AsyncIterable<Buffer | string>,
  maxBytes: number,
  command: string,
): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of input) {
    const buffer = Buffer.from(part);
    bytes += buffer.length;
    if (bytes > maxBytes) throw new UsageError(`the text on stdin is longer than ${maxBytes} bytes`, command);
    parts.push(buffer);
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(parts));
  } catch {
    throw new UsageError('the input on stdin is not valid UTF-8', command);
  }
}

const HISTORY = 200;

/**
 * Reads stdin line by line, with editing and history on a terminal.
 * @param onInterrupt called at Ctrl-C: a terminal that edits lines sends no signal
 */
export function openLines(
  input: NodeJS.ReadableStream & { isTTY?: boolean },
  output: NodeJS.WritableStream & { isTTY?: boolean },
  onInterrupt: () => void,
): LineReader {
  const isTerminal = input.isTTY === true && output.isTTY === true;
  const lines = createInterface({ input, ...(isTerminal && { output, terminal: true, historySize: HISTORY }) });
  lines.on('SIGINT', onInterrupt);
  const iterator = lines[Symbol.asyncIterator]();
  return {
    async ask(prompt) {
      if (isTerminal) {
        lines.setPrompt(prompt);
        lines.prompt();
      } else output.write(prompt);
      const next = await iterator.next();
      return next.done === true ? undefined : next.value;
    },
    close: () => lines.close(),
  };
}

/** The local stack's nats-server accepts messages of up to 8 MiB. */
export const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** Returns the text argument, or stdin without its final line break. @throws UsageError for an empty text */
export async function readPrompt(io: CliIo, given: string | undefined, command: string): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === undefined && io.stdin.isTerminal)
    throw new UsageError('no text given: pass TEXT in quotes, or - to type it on stdin', command);
  const text = (await io.stdin.read(MAX_INPUT_BYTES, command)).replace(/\r?\n$/, '');
  if (text === '') throw new UsageError('stdin is empty', command);
  return text;
}
