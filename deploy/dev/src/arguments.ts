// Parses the arguments of `npm start --`.
import { parseArgs } from 'node:util';

export type DevArguments =
  | { command: 'serve'; tour: boolean; hasProcesses: boolean }
  | { command: 'once'; text: string; hasProcesses: boolean }
  | { command: 'help' };

export const USAGE = `npm start                      start the stack, show a short tour, serve until Ctrl-C
npm start -- --no-tour         the same without the tour
npm start -- --processes       give each service a process of its own: more memory
npm start -- --once "TEXT"     send TEXT to the demo agent, print its answer, stop everything

Exit codes: of --once those of the millrace command (npm run -s millrace -- --help); 0 after Ctrl-C; 1 when one runs in this
checkout already.`;

/** @throws Error, for people, on anything that is not understood */
export function readArguments(argv: readonly string[]): DevArguments {
  const { values } = parseArgs({
    args: [...argv],
    options: {
      once: { type: 'string' },
      'no-tour': { type: 'boolean' },
      processes: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  const hasProcesses = values.processes === true;
  if (values.help) return { command: 'help' };
  if (values.once === undefined) return { command: 'serve', tour: !values['no-tour'], hasProcesses };
  if (values['no-tour']) throw new Error('--once has no tour: leave --no-tour out.');
  if (values.once.trim() === '') throw new Error('--once needs a text: npm start -- --once "What is 17 * 23?"');
  return { command: 'once', text: values.once, hasProcesses };
}
