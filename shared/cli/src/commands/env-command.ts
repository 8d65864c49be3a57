// `millrace env`: prints the addresses and keys of the local stack as variables of a shell. Sends no request.
import { locateSeedFile, resolveAddress } from '@millrace/bus';
import { MillraceError } from '@millrace/contracts';
import { defineCliCommand, jsonArg, type Cli } from '../command/cli-command.ts';
import { writeJson, writeLine } from '../command/cli-io.ts';
import { findStackGateway } from '../command/find-gateway.ts';

export const defineEnvCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace env',
    description:
      'Print the variables with which a client of NATS and a client of OpenAI use the local stack, for: eval "$(millrace env)".',
    args: jsonArg,
    async run({ json, url }) {
      const variables = await readVariables(cli, url);
      if (json) return writeJson(cli.io, variables);
      for (const [name, value] of Object.entries(variables)) writeLine(cli.io, `export ${name}=${quote(value)}`);
    },
  });

/** Ignores the variables of the terminal: they may be those of an earlier start. @throws config-invalid without a stack that has a gateway */
async function readVariables({ io }: Cli, url: string | undefined): Promise<Record<string, string>> {
  const bus = await resolveAddress(url === undefined ? {} : { NATS_URL: url }, io.cwd);
  const gateway = await findStackGateway(bus);
  if (!gateway)
    throw new MillraceError('config-invalid', 'No stack with a gateway runs here.', {
      remedy: 'Start it with npm start, and call this command in a folder of its checkout.',
    });
  return {
    NATS_URL: bus.url,
    ...(bus.keys !== undefined && { NATS_NKEY_FILE: locateSeedFile(bus.keys, 'operator') }),
    OPENAI_BASE_URL: `${gateway.url}/v1`,
    ...(gateway.key && { OPENAI_API_KEY: gateway.key.text }),
  };
}

const quote = (value: string): string => `'${value.replaceAll("'", String.raw`'\''`)}'`;
