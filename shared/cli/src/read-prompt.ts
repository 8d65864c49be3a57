// Reads the text of a command from its argument or from stdin.
import type { CliIo } from './cli-io.ts';
import { UsageError } from './usage-error.ts';

/** The local stack's nats-server accepts messages of up to 8 MiB. */
const MAX_INPUT_BYTES = 8 * 1024 * 1024;

/** Returns the text argument, or stdin without its final line break. @throws UsageError for an empty text */
export async function readPrompt(io: CliIo, given: string | undefined, command: string): Promise<string> {
  if (given !== undefined && given !== '-') return given;
  if (given === undefined && io.stdin.isTerminal)
    throw new UsageError('no text given: pass TEXT in quotes, or - to type it on stdin', command);
  const text = (await io.stdin.read(MAX_INPUT_BYTES)).replace(/\r?\n$/, '');
  if (text === '') throw new UsageError('stdin is empty', command);
  return text;
}
