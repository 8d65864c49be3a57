// Restate: a virtual object for each thread on its server, with the AI SDK middleware, which makes a model call durable. It
// covers calls without streaming, so that the client receives the answer as one piece. MODEL_URL, DIRECTORY.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { createRequire } from 'node:module';
import { chmodSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createOpenAI } from '@ai-sdk/openai';
import * as restate from '@restatedev/restate-sdk';
import * as clients from '@restatedev/restate-sdk-clients';
import { durableCalls } from '@restatedev/vercel-ai-middleware';
import { generateText, wrapLanguageModel } from 'ai';
import { numberedFetch, passInput, passPiece, servePeer } from './conversation.mjs';

const { MODEL_URL, DIRECTORY = '' } = process.env;
const KEPT_MESSAGES = 10;
const UP_MS = 60_000;

const provider = createOpenAI({ apiKey: 'stand-in', baseURL: MODEL_URL, fetch: numberedFetch });
const thread = restate.object({
  name: 'thread',
  handlers: {
    async say(ctx, input) {
      const kept = (await ctx.get('messages')) ?? [];
      const messages = await passInput([...kept, { role: 'user', content: input }].slice(-KEPT_MESSAGES));
      const model = wrapLanguageModel({ model: provider.chat('stand-in'), middleware: durableCalls(ctx) });
      const { text } = await generateText({ model, messages, maxRetries: 0 });
      const passed = await passPiece(text);
      ctx.set('messages', [...messages, { role: 'assistant', content: passed }].slice(-KEPT_MESSAGES));
      return passed;
    },
  },
});

async function findPort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

const [ingress, admin, fabric, handlers] = [await findPort(), await findPort(), await findPort(), await findPort()];
const platform = `@restatedev/restate-server-${process.platform}-${process.arch}`;
const program = join(dirname(createRequire(import.meta.url).resolve(`${platform}/package.json`)), 'bin/restate-server');
// npm sets the mode in an install script, which the bench does not run.
chmodSync(program, 0o755);
const server = spawn(program, ['--no-logo', '--listen-mode', 'tcp', '--base-dir', join(DIRECTORY, 'restate')], {
  env: {
    PATH: process.env.PATH,
    RESTATE_INGRESS__BIND_ADDRESS: `127.0.0.1:${ingress}`,
    RESTATE_ADMIN__BIND_ADDRESS: `127.0.0.1:${admin}`,
    RESTATE_BIND_ADDRESS: `127.0.0.1:${fabric}`,
    RESTATE_ADVERTISED_ADDRESS: `http://127.0.0.1:${fabric}`,
    RESTATE_NODE_NAME: 'bench',
    RESTATE_LOG_FILTER: 'error',
    RESTATE_DISABLE_TELEMETRY: 'true',
    DO_NOT_TRACK: '1',
  },
  stdio: ['ignore', 'ignore', 'inherit'],
});
await restate.serve({ services: [thread], port: handlers });
await register();

async function register() {
  const until = Date.now() + UP_MS;
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${admin}/deployments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ uri: `http://127.0.0.1:${handlers}` }),
    }).catch((error) => error);
    if (answer.ok) return;
    if (Date.now() > until) throw new Error(`Restate's server did not start: ${await answer.text?.()}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

const client = clients.connect({ url: `http://127.0.0.1:${ingress}` });
servePeer(async (name, input, show) => show(await client.objectClient(thread, name).say(input)), {
  pid: server.pid,
  async stop() {
    server.kill();
    await once(server, 'exit');
  },
});
