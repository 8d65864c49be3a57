// `millrace doctor`: checks the services that this terminal reaches, and prints a line with a remedy for each problem.
import { statfs } from 'node:fs/promises';
import { connect, type Client } from '@millrace/client';
import { resolveAddress } from '@millrace/bus';
import { hideAddressParts, readPrefix } from '@millrace/contracts';
import { defineCliCommand, jsonArg, type Cli } from '../command/cli-command.ts';
import { writeLine, writeJson, type CliIo } from '../command/cli-io.ts';
import { CHECKS } from './doctor-checks.ts';
import { runCheck, type Finding } from './doctor-finding.ts';
import { findGateway } from '../command/find-gateway.ts';
import { checkGateway } from './doctor-gateway.ts';
import { makePrintable } from '../command/printable.ts';
import { UsageError } from '../command/usage-error.ts';

export const defineDoctorCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace doctor',
    description:
      'Check the connection, the services, their versions, the rights, the clock, the room of the streams and the gateway. Exit code 5: a check has failed.',
    args: {
      gateway: {
        type: 'string',
        description:
          'address of the gateway (default: that of .millrace/stack.json, http://127.0.0.1:8080; the last one receives no API key)',
      },
      ...jsonArg,
    },
    async run(args) {
      const { gateway } = args;
      if (gateway !== undefined && !isHttpAddress(gateway))
        throw new UsageError(`--gateway ${gateway} is no HTTP address`, 'millrace doctor');
      const findings: Finding[] = [];
      const add = (found: readonly Finding[]) => {
        findings.push(...found);
        if (args.json !== true) for (const finding of found) writeLine(cli.io, formatFinding(finding));
      };
      add(await runCheck('disk', () => checkDisk(cli.io.cwd)));
      const opened = await openClient(cli.io, args);
      add(opened.findings);
      if (opened.client) {
        try {
          for (const [name, check] of Object.entries(CHECKS)) add(await runCheck(name, () => check(opened.client)));
        } finally {
          await opened.client.close();
        }
      }
      add(await runCheck('gateway', async () => checkGateway(await findGateway(cli.io, args))));
      if (args.json === true) writeJson(cli.io, findings);
      return findings.some(({ level }) => level === 'fail') ? 'refused' : 'ok';
    },
  });

function isHttpAddress(text: string): boolean {
  const protocol = URL.parse(text)?.protocol;
  return protocol === 'http:' || protocol === 'https:';
}

const formatFinding = ({ level, name, message, remedy }: Finding): string =>
  makePrintable(`${level.padEnd(4)}  ${name}: ${message}${remedy === undefined ? '' : `\n      remedy: ${remedy}`}`);

type OpenedClient = { findings: Finding[]; client?: undefined } | { findings: Finding[]; client: Client };
type Address = { url?: string | undefined; tenant?: string | undefined };

async function openClient({ env, cwd }: CliIo, { url, tenant }: Address): Promise<OpenedClient> {
  const name = 'connection';
  try {
    const address = url === undefined ? await resolveAddress(env, cwd) : { url, source: '--url' };
    const client = await connect({
      env,
      cwd,
      ...(url !== undefined && { url }),
      ...(tenant !== undefined && { tenant }),
      prefix: readPrefix(env),
    });
    const message = `NATS at ${hideAddressParts(address.url)} (from ${address.source}) accepts it`;
    return { findings: [{ level: 'ok', name, message }], client };
  } catch (error) {
    return { findings: await runCheck(name, () => Promise.reject(error)) };
  }
}

const MIN_FREE_BYTES = 1024 ** 3;

async function checkDisk(folder: string): Promise<Finding[]> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const message = `${(free / 1024 ** 3).toFixed(1)} GiB are free in ${folder}`;
  if (free >= MIN_FREE_BYTES) return [{ level: 'ok', name: 'disk', message }];
  return [{ level: 'warn', name: 'disk', message, remedy: 'Free some space: NATS rejects writes on a full disk.' }];
}
