// `millrace schemas`: prints the wire messages as JSON Schemas, for processors and clients in other languages. Sends no
// request.
import { SCHEMA_NAMES, buildJsonSchemas } from '@millrace/contracts';
import { defineCliCommand, type Cli } from '../command/cli-command.ts';
import { writeLine, writeJson } from '../command/cli-io.ts';
import { UsageError } from '../command/usage-error.ts';

const NAME = 'millrace schemas';

export const defineSchemasCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: NAME,
    description: 'Print the JSON Schemas of the wire messages: one with its references, or all in one document.',
    args: {
      name: { type: 'positional', required: false, description: 'for example stage-call; all if omitted' },
      names: { type: 'boolean', description: 'list only the names' },
    },
    async run({ name, names }) {
      if (names === true) return writeLine(cli.io, SCHEMA_NAMES.join('\n'));
      const schema = buildJsonSchemas(name);
      if (!schema) throw new UsageError(`unknown schema "${name}"; run millrace schemas --names for a list`, NAME);
      writeJson(cli.io, schema);
    },
  });
