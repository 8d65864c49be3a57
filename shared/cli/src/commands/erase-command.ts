// `millrace erase`: erases a resource in every store, and prints the progress until it is done.
import type { ShownErasure } from '@millrace/contracts';
import { setTimeout as delay } from 'node:timers/promises';
import { defineCliCommand, jsonArg, withClient, type Cli } from '../command/cli-command.ts';
import { note, writeLine, writeJson } from '../command/cli-io.ts';
import { parseDuration } from '../command/duration.ts';
import { makePrintable, formatTable } from '../command/printable.ts';
import { UsageError } from '../command/usage-error.ts';

const NAME = 'millrace erase';
const ASK_EVERY_MS = 1_000;
const WAIT_MS = 60_000;

export const defineEraseCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: NAME,
    description: 'Delete the runs, threads, vectors, memories and caches of a resource, and print the proof.',
    args: {
      resource: { type: 'positional', required: true, description: 'the resource: the identity of a caller' },
      yes: { type: 'boolean', description: 'required: an erasure cannot be undone' },
      wait: { type: 'string', description: 'maximum time to wait until it is done (default: 60s)' },
      ...jsonArg,
    },
    async run(args) {
      if (args.yes !== true)
        throw new UsageError(`an erasure of "${args.resource}" cannot be undone: repeat the command with --yes`, NAME);
      const waitMs = args.wait === undefined ? WAIT_MS : parseDuration(args.wait, '--wait');
      return withClient(cli.io, args, async (client) => {
        const giveUpAt = performance.now() + waitMs;
        const eraseId = crypto.randomUUID();
        let shown = '';
        for (;;) {
          const erasure = await client.erase(args.resource, { eraseId });
          const progress = describeProgress(erasure);
          if (progress !== shown) note(cli.io, progress);
          shown = progress;
          if (erasure.status === 'done' || performance.now() > giveUpAt) {
            if (args.json) writeJson(cli.io, erasure);
            else writeLine(cli.io, formatTable(['STORE', 'DELETED', 'LEFT', 'PROBLEM'], erasure.stores.map(formatRow)));
            if (erasure.status === 'done') return 'ok';
            note(cli.io, 'the erasure continues; repeat the command to see its progress');
            return 'notEnded';
          }
          await delay(ASK_EVERY_MS);
        }
      });
    },
  });

function describeProgress({ status, stores }: ShownErasure): string {
  const open = stores.filter(({ error, left }) => error || left !== 0);
  const names = open.map(({ store, error }) => (error ? `${store} (${error.code})` : store));
  return makePrintable(names.length === 0 ? status : `${status}: ${names.join(', ')}`);
}

function formatRow({ store, deleted, left, error }: ShownErasure['stores'][number]): string[] {
  return [store, String(deleted), left === undefined ? '-' : String(left), error ? makePrintable(error.message) : ''];
}
