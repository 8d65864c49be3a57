// `millrace schemas`: the wire as JSON Schemas, for whoever writes a processor or a client in another language. Asks nobody.
import { SCHEMA_NAMES, jsonSchemas } from '@millrace/contracts';
import { cliCommand, type Cli } from './cli-command.ts';
import { say, sayJson } from './cli-io.ts';
import { UsageError } from './usage-error.ts';

const NAME = 'millrace schemas';

export const schemasCommand = (cli: Cli) =>
  cliCommand(cli, {
    name: NAME,
    description: 'The JSON Schemas of all that travels: one with what it refers to, or all in one document.',
    args: {
      name: { type: 'positional', required: false, description: 'for example stage-call; all if left out' },
      names: { type: 'boolean', description: 'only list the names' },
    },
    async run({ name, names }) {
      if (names === true) return say(cli.io, SCHEMA_NAMES.join('\n'));
      const schema = jsonSchemas(name);
      if (!schema) throw new UsageError(`there is no schema "${name}"; millrace schemas --names lists them`, NAME);
      sayJson(cli.io, schema);
    },
  });
