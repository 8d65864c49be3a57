// A command's process, for tests of single modules: what was written, in order.
import type { CliIo } from '../cli/cli-io.ts';

export function recordedIo({ isTerminal = false } = {}): { io: CliIo; out(): string; err(): string; both(): string } {
  const written: { to: 'out' | 'err'; text: string }[] = [];
  const output = (to: 'out' | 'err') => ({ write: (text: string) => void written.push({ to, text }), isTerminal });
  const join = (to?: 'out' | 'err') =>
    written
      .filter((one) => to === undefined || one.to === to)
      .map(({ text }) => text)
      .join('');
  const io = {
    env: {},
    cwd: '/',
    stdout: output('out'),
    stderr: output('err'),
    onInterrupt: () => () => {},
    leave() {},
  };
  return { io, out: () => join('out'), err: () => join('err'), both: () => join() };
}
