// Starts the `millrace` program: connects runCli to the process.
import { EXIT_CODES } from './exit-code-table.ts';
import { readInput, openLines } from './read-input.ts';
import { runCli } from './run-cli.ts';

const outputClosed = watchClosedOutput(process.stdout);
// If stderr is closed, the answer on stdout still counts.
process.stderr.on('error', () => undefined);

const code = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: {
    isTerminal: process.stdin.isTTY,
    read: (maxBytes) => readInput(process.stdin, maxBytes),
    openLines: () => openLines(process.stdin, process.stderr, () => process.kill(process.pid, 'SIGINT')),
  },
  stdout: createOutput(process.stdout),
  stderr: createOutput(process.stderr),
  onOutputClosed: outputClosed.handleBy,
  onInterrupt(handle) {
    const signals = ['SIGINT', 'SIGTERM'] as const;
    for (const signal of signals) process.on(signal, handle);
    return () => signals.forEach((signal) => process.off(signal, handle));
  },
  leave: (code) => process.exit(code),
});
// Exits after pending writes, because other handles on the event loop must not keep the process alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit(outputClosed.exitCode ?? code)));

function createOutput(stream: NodeJS.WriteStream) {
  return { write: (text: string) => void stream.write(text), isTerminal: stream.isTTY };
}

/**
 * `millrace … | head`: a command that only reads exits on a broken pipe, as other programs do; a command that has a run
 * to cancel handles it.
 */
function watchClosedOutput(stream: NodeJS.WriteStream) {
  let handle: (() => void) | undefined;
  let exitCode: number | undefined;
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (exitCode !== undefined) return;
    exitCode = error.code === 'EPIPE' ? EXIT_CODES.outputClosed.code : EXIT_CODES.usage.code;
    if (handle) handle();
    else process.exit(exitCode);
  });
  return {
    get exitCode() {
      return exitCode;
    },
    handleBy(by: () => void) {
      handle = by;
      return () => (handle = undefined);
    },
  };
}
