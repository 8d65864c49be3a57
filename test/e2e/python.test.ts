// The examples in Python, in an environment of their own: both hold to docs/wire.md, and judge in a run of the real orchestrator.
// Skipped, with a line that says why, where there is no python3 or no package index.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually, useBus, useNats, useStack } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test, type TestContext } from 'vitest';
import { collect, textOf } from './collect.ts';
import { millrace, root, runCommand } from './run-command.ts';
import { script } from './script.ts';

const nats = useNats();
const bus = useBus(nats, 'python');
const stack = useStack(nats, ['orchestrator']);
const folder = join(root, 'examples/python');
let environment: string;
/** Why there is no Python here. */
let missing: string | undefined;
const python = () => join(environment, 'bin/python');
const INSTALL_MS = 120_000;
const CHECK_MS = 90_000;

beforeAll(async () => {
  environment = await mkdtemp(join(tmpdir(), 'millrace-python-'));
  const made = await runCommand('python3', ['-m', 'venv', environment]);
  if (made.code !== 0) return void (missing = `there is no python3 with venv: ${made.stderr.trim()}`);
  const requirements = join(folder, 'requirements.txt');
  const args = ['-m', 'pip', 'install', '--quiet', '--disable-pip-version-check', '--retries', '1', '-r', requirements];
  const installed = await runCommand(python(), args);
  if (installed.code !== 0)
    missing = `nats-py cannot be installed: ${installed.stderr.trim().split('\n').at(-1) ?? ''}`;
}, INSTALL_MS);
afterAll(() => rm(environment, { recursive: true, force: true }));

function needsPython({ skip }: TestContext): void {
  if (missing === undefined) return;
  process.stderr.write(`The examples in Python are not tested here: ${missing}\n`);
  skip(missing);
}

const EXAMPLES = [
  ['py-guard', 'processor.py'],
  ['py-short', 'short.py'],
] as const;

test.for(EXAMPLES)(
  '%s (%s) holds to every rule of the wire, with two replicas and its cases',
  { timeout: CHECK_MS },
  async ([id, file], context) => {
    needsPython(context);
    const start = `exec "${python()}" "${join(folder, file)}"`;
    const args = ['check', id, '--cases', join(folder, 'cases.json'), '--start', start];
    const { code, stdout } = await millrace(args, { env: { NATS_URL: nats.url } });
    expect(stdout).toContain(' 0 are broken, 0 do not concern it');
    expect(code).toBe(0);
  },
);

test.for(EXAMPLES)('%s (%s) blocks and masks in a run', async ([id, file], context) => {
  needsPython(context);
  const child = spawn(python(), [join(folder, file)], { env: { ...process.env, NATS_URL: nats.url }, stdio: 'ignore' });
  const exited = once(child, 'exit');
  try {
    await eventually(async () => (await stack.client.processors.survey()).processors.some((one) => one.id === id));
    await stack.client.agents.apply({
      name: id,
      model: 'openai/gpt-5-mini',
      instructions: 'Answer.',
      input: [id],
      output: [id],
    });
    const loud = await stack.client.start(id, 'WHY DOES NOBODY EVER LISTEN TO ME');
    expect(await loud.result()).toMatchObject({ status: 'aborted', tripwire: { reason: 'Please do not shout.' } });
    const run = await stack.client.start(id, script({ text: 'it is a secret, and more' }));
    const chunks = await collect(run);
    expect(textOf(chunks)).toBe('it is a ***, and more');
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'it is a ***, and more' });
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
});

/** What a stage does; the last one makes no mistake. */
const BROKEN = [
  ['py-too-large', "process_output_stream(self, chunk, call): return {**chunk, 'x': 'y' * 9_000_000}"],
  ['py-no-json', "process_output_stream(self, chunk, call): call.state['seen'] = {1, 2}"],
  ['py-not-a-number', "process_output_stream(self, chunk, call): call.state['mean'] = float('nan')"],
  ['py-leaves', 'process_output_stream(self, chunk, call): raise SystemExit(1)'],
  ['py-plain', 'process_output_stream(self, chunk, call): return chunk'],
] as const;

async function startBroken(): Promise<ChildProcess> {
  const classes = BROKEN.map(
    ([id, method], at) => `class P${at}(Processor):\n    id, description = "${id}", "x"\n    def ${method}\n`,
  );
  const names = BROKEN.map((_, at) => `P${at}`).join(', ');
  const program = join(environment, 'broken.py');
  const text = `from millrace import Processor, serve\n${classes.join('')}serve("py-broken", [${names}])\n`;
  await writeFile(program, text);
  const env = { ...process.env, NATS_URL: nats.url, PYTHONPATH: folder };
  return spawn(python(), [program], { env, stdio: 'ignore' });
}

/** How a session ends that is sent two chunks, or what is no batch. */
async function endOfSession(processor: string, batches: readonly object[]): Promise<object> {
  const { nc, subjects, id } = bus.bus;
  const session = crypto.randomUUID();
  const { promise, resolve } = Promise.withResolvers<object>();
  const out = nc.subscribe(subjects.out(id, session), {
    callback: (_error, message) => {
      const batch: { verdicts?: object[] } = message.json();
      if (batch.verdicts) resolve(batch.verdicts[0] ?? {});
    },
  });
  const open = {
    callId: session,
    session,
    orchestrator: id,
    stage: 'processOutputStream',
    requestContext: {},
    run: { tenant: 't', runId: 'r', agent: 'a', epoch: 1 },
    entries: [{ entry: processor, processor, options: {}, state: {} }],
    timeoutMs: 5_000,
    remainingMs: 60_000,
    input: { retryCount: 0, stepNumber: 0 },
  };
  const subject = subjects.stage('processOutputStream', processor);
  const asked = () => nc.request(subject, JSON.stringify(open), { timeout: 5_000 });
  const opened: { service: string; replica: string } = (await eventually(asked, { timeoutMs: 20_000 })).json();
  const to = subjects.session(opened.service, opened.replica, session);
  for (const batch of batches) nc.publish(to, JSON.stringify({ session, processed: 0, ...batch }));
  try {
    return await promise;
  } finally {
    out.unsubscribe();
  }
}

const DELTA = { type: 'text-delta', runId: 'r', from: 'AGENT', payload: { id: '1', text: 'a word' } };
const WHOLE = [{ sequence: 0, chunks: [DELTA], end: true }];

test(
  'what in a session does not fit or cannot travel ends it with a failure, and its service serves on',
  { timeout: CHECK_MS },
  async (context) => {
    needsPython(context);
    const child = await startBroken();
    const exited = once(child, 'exit');
    const failed = { type: 'failure', code: 'processor-failed' };
    try {
      for (const id of ['py-too-large', 'py-no-json', 'py-not-a-number', 'py-leaves'])
        expect({ id, ...(await endOfSession(id, WHOLE)) }).toMatchObject({ id, ...failed });
      for (const batch of [{}, { sequence: 0 }, { sequence: 0, chunks: [7] }])
        expect(await endOfSession('py-plain', [batch])).toMatchObject(failed);
      expect(await endOfSession('py-plain', WHOLE)).toMatchObject({ type: 'continue' });
      expect(child.exitCode).toBeNull();
    } finally {
      child.kill('SIGTERM');
      await exited;
    }
  },
);

test.for(['processor', 'tool'])(
  'what `millrace new %s --lang py` writes holds to the wire at once',
  { timeout: CHECK_MS },
  async (kind, context) => {
    needsPython(context);
    const written = join(environment, `new-${kind}`);
    expect(await millrace(['new', kind, `py-new-${kind}`, '--lang', 'py', '--into', written])).toMatchObject({
      code: 0,
    });
    const start = `exec "${python()}" "${join(written, 'main.py')}"`;
    const checked = await millrace(['check', `py-new-${kind}`, '--start', start], { env: { NATS_URL: nats.url } });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 are broken') });
  },
);
