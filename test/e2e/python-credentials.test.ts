// A processor in Python connects with a key of its own, under permissions.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createUserKey, eventually, useBus, useNats } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { usePython } from './python/use-python.ts';
import { runCommand } from './run-command.ts';

const user = createUserKey();
const ALLOWED = JSON.stringify(['$SRV.>', 'mr.v1.>', `_INBOX.${user.publicKey}.>`]);
const nats = useNats({
  extraConfig: `authorization { users: [
    { nkey: ${user.publicKey}, permissions: { publish: ${ALLOWED}, subscribe: ${ALLOWED}, allow_responses: true } }
    { user: all, password: all }
  ] }`,
});
const all = useBus(nats, 'all', { user: 'all', pass: 'all' });
const { folder, scratch, python, requirePython } = usePython();

const PING = '$SRV.PING.py-short-service';
const start = (env: Record<string, string>) =>
  runCommand(python(), [join(folder, 'short.py')], { env: { NATS_URL: nats.url, ...env } });

test('A processor in Python serves with a seed from a file', { timeout: 60_000 }, async (context) => {
  requirePython(context);
  const seedFile = join(scratch(), 'user.nk');
  await writeFile(seedFile, `${user.seed}\n`, { mode: 0o600 });
  const child = spawn(python(), [join(folder, 'short.py')], {
    env: { ...process.env, NATS_URL: nats.url, NATS_NKEY_FILE: seedFile },
    stdio: 'inherit',
  });
  const exited = once(child, 'exit');
  try {
    const answer = await eventually(() => all.bus.nc.request(PING));
    expect(answer.json()).toMatchObject({ name: 'py-short-service' });
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
});

test.for([
  ['a key that the server does not know', { NATS_NKEY: createUserKey().seed }, 'NATS refuses the credentials'],
  ['no credentials', {}, 'NATS refuses the credentials'],
  ['a text that is no seed', { NATS_NKEY: user.publicKey }, 'NATS_NKEY contains no seed of a NATS user'],
  ['a file that does not exist', { NATS_NKEY_FILE: 'none.nk' }, 'The file none.nk cannot be read'],
  ['two identities', { NATS_NKEY: 'x', NATS_USER: 'all' }, 'Set one of'],
  ['an unreadable authority', { NATS_TLS_CA_FILE: 'none.pem' }, 'NATS_TLS_CA_FILE'],
] as const)(
  'A processor in Python ends with the reason and without a seed: %s',
  { timeout: 60_000 },
  async ([, env, reason], context) => {
    requirePython(context);
    const { code, stdout, stderr } = await start(env);
    expect(code).not.toBe(0);
    expect(stderr).toContain(reason);
    expect(`${stdout}${stderr}`).not.toContain(
      'NATS_NKEY' in env && env.NATS_NKEY.length > 57 ? env.NATS_NKEY : user.seed,
    );
  },
);

test(
  'A processor in Python that requires TLS sends nothing to a server without it',
  { timeout: 60_000 },
  async (context) => {
    requirePython(context);
    const child = spawn(python(), [join(folder, 'short.py')], {
      env: { ...process.env, NATS_URL: nats.url, NATS_USER: 'all', NATS_PASSWORD: 'all', NATS_TLS: 'required' },
    });
    const exited = once(child, 'exit');
    let stderr = '';
    child.stderr.on('data', (data: Buffer) => (stderr += data.toString()));
    await eventually(() => stderr.includes('does not offer TLS'));
    await expect(all.bus.nc.request(PING)).rejects.toThrow(/no responders/);
    child.kill('SIGKILL');
    await exited;
  },
);
