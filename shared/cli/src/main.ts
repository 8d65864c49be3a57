// Starts the `millrace` program: connects runCli to the process.
import { cacheCompiledSources } from './command/compile-cache.ts';
import { EXIT_CODES } from './command/exit-code-table.ts';
import { readInput, openLines } from './command/read-input.ts';
import { runCli } from './run-cli.ts';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** npm forwards a Ctrl-C that the terminal has sent to all processes, so the signal arrives twice, the second time while the command exits. ms */
const REPEATED_SIGNAL_MS = 1_000;

type Interruption = { signal: NodeJS.Signals; at: number };

// Before runCli, which imports the sources of the command.
cacheCompiledSources(process.env);
const outputClosed = watchClosedOutput(process.stdout);
// If stderr is closed, the answer on stdout still counts.
process.stderr.on('error', () => undefined);

const code = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdin: {
    isTerminal: process.stdin.isTTY,
    read: (maxBytes, command) => readInput(process.stdin, maxBytes, command),
    openLines: () => openLines(process.stdin, process.stderr, () => process.kill(process.pid, 'SIGINT')),
  },
  stdout: createOutput(process.stdout),
  stderr: createOutput(process.stderr),
  onOutputClosed: outputClosed.handleBy,
  onInterrupt(handle) {
    let last: Interruption | undefined;
    const interrupt = (signal: NodeJS.Signals) => {
      last = { signal, at: performance.now() };
      handle();
    };
    for (const signal of SIGNALS) process.on(signal, interrupt);
    return () => {
      if (last) ignoreRepetition(last);
      for (const signal of SIGNALS) process.off(signal, interrupt);
    };
  },
  leave: (code) => process.exit(code),
});
// Exits after pending writes, because other handles on the event loop must not keep the process alive.
process.stdout.write('', () => process.stderr.write('', () => process.exit(outputClosed.exitCode ?? code)));

function createOutput(stream: NodeJS.WriteStream) {
  return { write: (text: string) => void stream.write(text), isTerminal: stream.isTTY };
}

/** Keeps the exit code of a command that exits soon after its interruption, if the same signal arrives again. A later signal ends it. */
function ignoreRepetition({ signal, at }: Interruption): void {
  process.on(signal, () => {
    if (performance.now() - at > REPEATED_SIGNAL_MS) process.exit(EXIT_CODES.interrupted.code);
  });
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
