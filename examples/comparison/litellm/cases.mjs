// LiteLLM: a proxy, with guardrails in its process or, for the killed guard, behind an HTTP API of a process of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { runCase } from '../run-case.mjs';

const here = import.meta.dirname;
const KEY = `sk-${'0123456789abcdef'.repeat(4)}`;

async function findFreePort() {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address();
  probe.close();
  return port;
}

/** Starts the proxy, and waits until it answers. */
async function startProxy(env) {
  const port = await findFreePort();
  const proxy = spawn(
    join(here, '.venv/bin/litellm'),
    ['--config', join(here, 'config.yaml'), '--host', '127.0.0.1', '--port', String(port)],
    { env: { ...process.env, ...env, LITELLM_MASTER_KEY: KEY, LITELLM_LOCAL_MODEL_COST_MAP: 'True' }, stdio: 'ignore' },
  );
  const url = `http://127.0.0.1:${port}`;
  for (let tries = 0; tries < 480 && proxy.exitCode === null; tries++) {
    if (
      await fetch(`${url}/health/liveliness`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { url, proxy };
    await sleep(250);
  }
  proxy.kill('SIGKILL');
  throw new Error('the proxy does not start');
}

/** A guard: its process ends while it judges. */
async function startKilledGuard() {
  const code = "require('http').createServer(() => process.kill(process.pid, 'SIGKILL'))".concat(
    ".listen(0, '127.0.0.1', function () { console.log(this.address().port) })",
  );
  const guard = spawn(process.execPath, ['-e', code], { stdio: ['ignore', 'pipe', 'ignore'] });
  const [port] = await once(guard.stdout, 'data');
  return { url: `http://127.0.0.1:${String(port).trim()}`, guard };
}

await runCase(async ({ name, modelUrl, show }) => {
  const { url: GUARD_URL, guard } = await startKilledGuard();
  const { url, proxy } = await startProxy({ MODEL_URL: modelUrl, GUARD_URL });
  try {
    const response = await fetch(`${url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify({
        model: 'assistant',
        stream: true,
        guardrails: name === 'no-guard' ? [] : [name],
        messages: [{ role: 'user', content: 'Which card do I use?' }],
      }),
    });
    const body = await response.text();
    for (const [, event] of body.matchAll(/^data: (\{.*)$/gm)) {
      const { choices, error } = JSON.parse(event);
      if (error) throw new Error(error.message);
      const text = choices?.[0]?.delta.content;
      if (text) show(text);
    }
    if (!response.ok) throw new Error(`HTTP ${response.status}: ${body.slice(0, 300)}`);
  } finally {
    proxy.kill('SIGKILL');
    guard.kill('SIGKILL');
  }
});
