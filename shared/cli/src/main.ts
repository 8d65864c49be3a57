// The `millrace` program: what of it is the process. Everything else is runCli.
import { runCli } from './run-cli.ts';

const code = await runCli(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: outputTo(process.stdout),
  stderr: outputTo(process.stderr),
  onInterrupt(handle) {
    const signals = ['SIGINT', 'SIGTERM'] as const;
    for (const signal of signals) process.on(signal, handle);
    return () => signals.forEach((signal) => process.off(signal, handle));
  },
  leave: (code) => process.exit(code),
});
// Behind what is still being written; whatever else holds the event loop must not hold the process.
process.stdout.write('', () => process.stderr.write('', () => process.exit(code)));

function outputTo(stream: NodeJS.WriteStream) {
  // A reader that went away (`| head`) wants no more: that is no error.
  stream.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));
  return { write: (text: string) => void stream.write(text), isTerminal: stream.isTTY };
}
