// npm start: runs all of Millrace on one machine. arguments.ts parses its options, serve-stack.ts runs it.
import { join } from 'node:path';
import { EXIT_CODES, chooseExitForError } from '@millrace/cli';
import { readArguments, USAGE, type DevArguments } from './arguments.ts';
import { claimStack } from './claim-stack.ts';
import { joinStack } from './join-stack.ts';
import { serveStack } from './serve-stack.ts';
import { locateStateDir } from './state-dir.ts';
import { formatError } from './startup-output.ts';

const checkout = join(import.meta.dirname, '../../..');
const report = (line: string) => void process.stderr.write(`${line}\n`);

process.exitCode = await main(process.argv.slice(2));
// Other handles on the event loop must not keep the process alive: all resources are released by now.
process.exit();

async function main(argv: string[]): Promise<number> {
  let args: DevArguments;
  try {
    args = readArguments(argv);
  } catch (error) {
    report(`${formatError(error)}\n\n${USAGE}`);
    return EXIT_CODES.usage.code;
  }
  if (args.command === 'help') {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const state = locateStateDir(process.env['MILLRACE_STATE_DIR'] || join(checkout, '.millrace'));
  const isOnce = args.command === 'once';
  const options = {
    arguments: args,
    checkout,
    agentFile: join(checkout, 'deploy/agents/demo.yaml'),
    state,
    env: process.env,
    signal: stopSignal(),
    // Only the answer is written to stdout.
    printLine: isOnce ? report : (line: string) => void process.stdout.write(`${line}\n`),
    report,
    answer: (text: string) => void process.stdout.write(`${text}\n`),
  };
  try {
    const claim = await claimStack(state);
    if (claim.kind === 'taken') return await joinStack(claim, options);
    return await serveStack({ ...options, releaseClaim: claim.release });
  } catch (error) {
    report(formatError(error));
    return EXIT_CODES[chooseExitForError(error)].code;
  }
}

/** The first signal stops cleanly; at a second one the process ends at once, and its children see that and end too. */
function stopSignal(): AbortSignal {
  const stopping = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (stopping.signal.aborted) process.exit(EXIT_CODES.interrupted.code);
      stopping.abort();
    });
  }
  return stopping.signal;
}
