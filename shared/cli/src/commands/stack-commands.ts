// `millrace restart` and `millrace scale`: change the services of a running `npm start`.
import { readFile } from 'node:fs/promises';
import { findStateEntry } from '@millrace/bus';
import { MillraceError, fromWireError } from '@millrace/contracts';
import { defineCliCommand, type Cli } from '../command/cli-command.ts';
import { writeLine, type CliIo } from '../command/cli-io.ts';
import {
  CONTROL_FILE,
  MAX_REPLICAS,
  controlAnswerSchema,
  controlFileSchema,
  type ControlFile,
  type ControlRequest,
} from '../command/control-protocol.ts';
import { UsageError } from '../command/usage-error.ts';

export const defineRestartCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace restart',
    description:
      'Restart one service of the local stack (`npm start`) with the sources of now. It drains first; from then on it has a process of its own.',
    args: { service: { type: 'positional', required: true, description: 'such as guardrails' } },
    async run({ service }) {
      const { pids, logFile } = await sendControl(cli.io, { kind: 'restart', service });
      writeLine(cli.io, `${service} restarted: ${describeProcesses(pids)}, log ${logFile}`);
    },
  });

export const defineScaleCommand = (cli: Cli) =>
  defineCliCommand(cli, {
    name: 'millrace scale',
    description:
      'Set the number of replicas of one service of the local stack (`npm start`), until the stack stops. Each further one is a process.',
    args: {
      service: { type: 'positional', required: true, description: 'such as guardrails' },
      replicas: { type: 'positional', required: true, description: `0 to ${MAX_REPLICAS}` },
    },
    async run({ service, replicas }) {
      const { pids, logFile } = await sendControl(cli.io, {
        kind: 'scale',
        service,
        replicas: parseReplicas(replicas),
      });
      writeLine(cli.io, `${service} has ${pids.length} replicas: ${describeProcesses(pids)}, log ${logFile}`);
    },
  });

function parseReplicas(text: string): number {
  const replicas = Number(text);
  if (!/^\d+$/.test(text) || replicas > MAX_REPLICAS)
    throw new UsageError(`the number of replicas is 0 to ${MAX_REPLICAS}`, 'millrace scale');
  return replicas;
}

const describeProcesses = (pids: readonly number[]): string =>
  pids.length === 0 ? 'no process' : `process ${pids.join(', ')}`;

const CONTROL_REMEDY = 'Start the stack with npm start, and call this command in a folder of its checkout.';

async function sendControl(io: CliIo, request: ControlRequest): Promise<{ pids: number[]; logFile: string }> {
  const { url, token } = await readControlFile(io.cwd);
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(request),
    // The token is for this address.
    redirect: 'error',
  }).catch((cause: unknown) => {
    throw new MillraceError('nobody-there', 'The npm start of this checkout does not answer.', {
      cause,
      remedy: CONTROL_REMEDY,
    });
  });
  const answer = controlAnswerSchema.parse(await response.json());
  if ('error' in answer) throw fromWireError(answer.error);
  return answer;
}

async function readControlFile(cwd: string): Promise<ControlFile> {
  const file = await findStateEntry(cwd, CONTROL_FILE);
  if (file === undefined)
    throw new MillraceError('nobody-there', 'No npm start runs in this folder or above.', { remedy: CONTROL_REMEDY });
  return controlFileSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}
