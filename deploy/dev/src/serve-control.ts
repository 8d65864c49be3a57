// Serves the commands `millrace restart` and `millrace scale` on the loopback interface. A request needs the token of control.json.
import { randomBytes, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage } from 'node:http';
import { controlRequestSchema, type ControlAnswer, type ControlFile } from '@millrace/cli';
import { MillraceError, toWireError } from '@millrace/contracts';
import type { ServiceReplicas } from './replicas.ts';

const MAX_BODY_BYTES = 4_096;

export type ServedControl = { close(): Promise<void> };

export async function serveControl(file: string, services: readonly ServiceReplicas[]): Promise<ServedControl> {
  const token = randomBytes(32).toString('base64url');
  const server = createServer((request, response) => {
    void answerRequest(request, token, services).then(({ status, answer }) => {
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' });
      response.end(JSON.stringify(answer));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The control server listens on no port.');
  // An existing file would keep its mode.
  await rm(file, { force: true });
  const content: ControlFile = { url: `http://127.0.0.1:${address.port}`, token };
  await writeFile(file, `${JSON.stringify(content)}\n`, { mode: 0o600 });
  return {
    async close() {
      await rm(file, { force: true });
      server.close();
      server.closeAllConnections();
    },
  };
}

type ControlReply = { status: number; answer: ControlAnswer };

async function answerRequest(
  request: IncomingMessage,
  token: string,
  services: readonly ServiceReplicas[],
): Promise<ControlReply> {
  try {
    if (!isAuthorized(request, token))
      throw new MillraceError('permission-denied', 'The request has not the token of control.json.');
    return { status: 200, answer: await execute(await readBody(request), services) };
  } catch (error) {
    return { status: 400, answer: { error: toWireError(error) } };
  }
}

function isAuthorized({ headers }: IncomingMessage, token: string): boolean {
  const expected = Buffer.from(`Bearer ${token}`);
  const given = Buffer.from(headers.authorization ?? '');
  return given.length === expected.length && timingSafeEqual(given, expected);
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of request) {
    bytes += part.length;
    if (bytes > MAX_BODY_BYTES) throw new MillraceError('message-too-large', 'The body of the command is too large.');
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

async function execute(body: string, services: readonly ServiceReplicas[]): Promise<ControlAnswer> {
  const { success, data: command } = controlRequestSchema.safeParse(parseJson(body));
  if (!success) throw new MillraceError('message-invalid', 'The command is none of this version.');
  const service = services.find(({ name }) => name === command.service);
  if (!service)
    throw new MillraceError('config-invalid', `This stack has no service "${command.service}".`, {
      remedy: `Its services: ${services.map(({ name }) => name).join(', ')}.`,
    });
  await (command.kind === 'restart' ? service.restart() : service.scale(command.replicas));
  return { pids: service.readPids(), logFile: service.logFile };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
