// `millrace keys`: creates the keys of the roles and the users of NATS, and rotates a key.
import { resolve } from 'node:path';
import { createSubjects, readPrefix } from '@millrace/contracts';
import { openKeyFolder, locateSeedFile } from '@millrace/identity';
import { defineCliCommand, jsonArg, type Cli } from '../command/cli-command.ts';
import { writeLine, writeJson } from '../command/cli-io.ts';

const DEFAULT_FOLDER = '.millrace/keys';

export const defineKeysCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace keys',
    description:
      'Create a key for each role of the bus, the users of NATS and Redis with their permissions, and the API key of Qdrant. Keys that exist stay as they are.',
    args: {
      folder: { type: 'string', description: `folder of the keys (default: ${DEFAULT_FOLDER})` },
      rotate: { type: 'string', description: 'role that gets a new key, such as guardrails' },
      ...jsonArg,
    },
    async run(args) {
      const { env, cwd } = cli.io;
      const folder = resolve(cwd, args.folder ?? DEFAULT_FOLDER);
      const subjects = createSubjects(readPrefix(env));
      const made = await openKeyFolder(folder, subjects, { rotate: args.rotate });
      if (args.json) return writeJson(cli.io, { folder, ...made });
      for (const role of made.created) writeLine(cli.io, `${role}: new key in ${locateSeedFile(folder, role)}`);
      if (made.created.length === 0) writeLine(cli.io, `every role has its key in ${folder}`);
      if (made.redis.changed) writeLine(cli.io, `Redis loads ${made.redis.usersFile}: restart Redis`);
      if (made.qdrant.changed) writeLine(cli.io, `Qdrant reads ${made.qdrant.configFile}: restart Qdrant`);
      if (!made.changed) return writeLine(cli.io, `${made.usersFile} is up to date`);
      writeLine(cli.io, `NATS includes ${made.usersFile}: restart NATS`);
      if (args.rotate === undefined) return;
      writeLine(cli.io, `the former key of ${args.rotate} is refused from then on: restart ${args.rotate}`);
    },
  });
