// Reads stdin line by line, with editing and history on a terminal.
import { createInterface } from 'node:readline';
import type { LineReader } from './cli-io.ts';

const HISTORY = 200;

/** @param onInterrupt called at Ctrl-C: a terminal that edits lines sends no signal */
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
