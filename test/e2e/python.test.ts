// The Python examples in a virtual environment: both conform to docs/wire.md and judge in a run of the real
// orchestrator. Skipped with the reason if python3 or a package index is missing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SESSION_LIMITS } from '@millrace/contracts';
import { eventually, useBus, useNats, useStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { collect, joinText } from './collect.ts';
import {
  awaitAnswer,
  awaitMergedAnswer,
  BROKEN_CALLS,
  BROKEN_STREAMS,
  BROKEN_TOOLS,
  endOfSession,
  openSession,
  toolAnswer,
  withProgram,
  writeBroken,
  writeSummarizing,
  writeWaiting,
} from './python/broken-programs.ts';
import { usePython } from './python/use-python.ts';
import { millrace, root, runCommand } from './run-command.ts';
import { script } from './script.ts';

const nats = useNats();
const bus = useBus(nats, 'python');
const stack = useStack(nats, ['orchestrator']);
const { folder, scratch, python, requirePython } = usePython();
const CHECK_MS = 90_000;

const EXAMPLES = [
  ['py-guard', 'processor.py'],
  ['py-short', 'short.py'],
] as const;

test.for(EXAMPLES)(
  '%s (%s) conforms to every rule of the protocol, with two replicas and its cases',
  { timeout: CHECK_MS },
  async ([id, file], context) => {
    requirePython(context);
    const start = `exec "${python()}" "${join(folder, file)}"`;
    const args = ['check', id, '--cases', join(folder, 'cases.json'), '--start', start];
    const { code, stdout } = await millrace(args, { env: { NATS_URL: nats.url } });
    expect(stdout).toContain(' 0 are broken, 0 do not concern it');
    expect(code).toBe(0);
  },
);

test('The README shows the processor in Python without its blank lines, and it blocks input in capitals', async (context) => {
  requirePython(context);
  const source = readFileSync(join(folder, 'no_shouting.py'), 'utf8');
  const shown = source.split('\n').filter((line) => line !== '');
  expect(readFileSync(join(root, 'README.md'), 'utf8')).toContain(`\`\`\`python\n${shown.join('\n')}\n\`\`\``);
  const env = { ...process.env, NATS_URL: nats.url };
  const child = spawn(python(), [join(folder, 'no_shouting.py')], { env, stdio: 'ignore' });
  const exited = once(child, 'exit');
  const id = 'py-no-shouting';
  try {
    await eventually(async () => (await stack.client.processors.survey()).processors.some((one) => one.id === id));
    await stack.client.agents.apply({ name: id, model: 'openai/gpt-5-mini', input: [id] });
    const loud = await stack.client.start(id, 'WHY DO YOU NEVER LISTEN TO ME');
    expect(await loud.result()).toMatchObject({ status: 'aborted', tripwire: { reason: 'Please do not shout.' } });
    const calm = await stack.client.start(id, 'What is 17 * 23?');
    expect(await calm.result()).toMatchObject({ status: 'finished' });
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
});

test.for(EXAMPLES)('%s (%s) blocks and masks in a run', async ([id, file], context) => {
  requirePython(context);
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
    const loud = await stack.client.start(id, 'WHY DO YOU NEVER LISTEN TO ME');
    expect(await loud.result()).toMatchObject({ status: 'aborted', tripwire: { reason: 'Please do not shout.' } });
    const run = await stack.client.start(id, script({ text: 'it is a secret, and more' }));
    const chunks = await collect(run);
    expect(joinText(chunks)).toBe('it is a ***, and more');
    expect(await run.result()).toMatchObject({ status: 'finished', text: 'it is a ***, and more' });
  } finally {
    child.kill('SIGTERM');
    await exited;
  }
});

test('a processor in Python cannot raise the trust of content, although it ignores labels', async (context) => {
  requirePython(context);
  const rig = { bus: bus.bus, python: python(), folder };
  await withProgram(rig, await writeSummarizing(scratch()), 'py-summarizing', async () => {
    await stack.client.agents.apply({
      name: 'py-summarizing',
      model: 'openai/gpt-5-mini',
      input: ['py-summarize'],
      tools: ['py-read', 'py-delete'],
    });
    const use = (name: string) => ({ toolCalls: [{ name, args: {} }] });
    const run = await stack.client.start('py-summarizing', script(use('py-read'), use('py-delete'), { text: 'Done.' }));
    expect(await run.result()).toMatchObject({ status: 'suspended' });
    const [suspended] = await stack.client.runs.listSuspended();
    expect(suspended?.pending).toMatchObject([
      { by: 'untrusted-content', payload: { toolName: 'py-delete', origins: ['processor:py-summarize'] } },
    ]);
  });
});

const DELTA = { type: 'text-delta', runId: 'r', from: 'AGENT', payload: { id: '1', text: 'a word' } };
const WHOLE = [{ sequence: 0, chunks: [DELTA], end: true }];
const NO_BATCHES = [
  {},
  { sequence: 0 },
  { sequence: 0, chunks: [7] },
  { sequence: 0, chunks: [{ type: 'text-delta' }] },
];
const inBroken = (processor: string) => ({ service: 'py-broken', processor });
const FAILED = { type: 'failure', code: 'processor-failed' };

test(
  'invalid results, unserializable values and crashes are failures at once with a traceback on stderr, and the service continues',
  { timeout: CHECK_MS },
  async (context) => {
    requirePython(context);
    const rig = { bus: bus.bus, python: python(), folder };
    await withProgram(rig, await writeBroken(scratch()), 'py-broken', async (readErrors) => {
      for (const id of Object.keys(BROKEN_STREAMS))
        expect({ id, ...(await endOfSession(bus.bus, inBroken(id), WHOLE)) }).toMatchObject(
          id === 'py-plain' ? { id, type: 'continue' } : { id, ...FAILED },
        );
      for (const batch of NO_BATCHES)
        expect(await endOfSession(bus.bus, inBroken('py-plain'), [batch])).toMatchObject(FAILED);
      for (const id of Object.keys(BROKEN_CALLS))
        expect(`${id} ${JSON.stringify(await awaitAnswer(bus.bus, inBroken(id)))}`).toContain(
          id === 'py-call-plain' ? '"type":"continue"' : 'processor-failed',
        );
      for (const id of Object.keys(BROKEN_TOOLS))
        expect({ id, ...(await toolAnswer(bus.bus, 'py-broken', id)) }).toMatchObject({
          id,
          sequence: 0,
          ...(id === 'py-tool-plain' ? { result: 1 } : { error: { code: 'tool-failed' } }),
        });
      // The terminal has the place of an error; the caller has its message alone.
      for (const place of ['in process_input', 'in execute']) {
        await eventually(() => readErrors().includes(place));
        expect(readErrors()).toMatch(new RegExp(`Traceback [^]*${place}\\n`));
      }
    });
  },
);

test('millrace.py: a call is rejected if subject and header do not name its processors', async (context) => {
  requirePython(context);
  const rig = { bus: bus.bus, python: python(), folder };
  await withProgram(rig, await writeBroken(scratch()), 'py-broken', async () => {
    const codes = await Promise.all(
      ['py-call-plain,py-call-plain', undefined, 'py-call-plain', 'py-call-plain,other'].map(async (header) => {
        const { error, verdicts } = await awaitMergedAnswer(bus.bus, inBroken('py-call-plain'), header);
        return verdicts ? 'verdicts' : error;
      }),
    );
    const refused = expect.objectContaining({ code: 'message-invalid', message: expect.stringContaining('header') });
    expect(codes).toEqual(['verdicts', refused, refused, refused]);
  });
});

test('millrace.py: a processor declares its reads for each stage', async (context) => {
  requirePython(context);
  const program = join(scratch(), 'reading.py');
  const reads = { processInput: ['input'], processOutputResult: ['response'] };
  await writeFile(
    program,
    `from millrace import Processor, serve
class Reads(Processor):
    id, description, reads = "py-reads", "x", ${JSON.stringify(reads)}
    def process_input(self, call): pass
    def process_output_result(self, call): pass
serve("py-reading", [Reads])
`,
  );
  await withProgram({ bus: bus.bus, python: python(), folder }, program, 'py-reading', async () => {
    const readDeclared = async () => {
      const { processors } = await stack.client.processors.survey();
      return processors.find(({ id }) => id === 'py-reads')?.reads;
    };
    await eventually(async () => (await readDeclared()) !== undefined);
    expect(await readDeclared()).toEqual(reads);
  });
});

test('processor.py: an invalid batch ends its session with a failure', async (context) => {
  requirePython(context);
  const rig = { bus: bus.bus, python: python(), folder };
  await withProgram(rig, join(folder, 'processor.py'), 'py-service', async () => {
    for (const batch of NO_BATCHES)
      expect(await endOfSession(bus.bus, { service: 'py-service', processor: 'py-guard' }, [batch])).toMatchObject(
        FAILED,
      );
    expect(await endOfSession(bus.bus, { service: 'py-service', processor: 'py-guard' }, WHOLE)).toMatchObject({
      type: 'continue',
    });
  });
});

test('millrace.py: chunks over the window end their session with a failure that names the limit', async (context) => {
  requirePython(context);
  const rig = { bus: bus.bus, python: python(), folder };
  await withProgram(rig, await writeBroken(scratch()), 'py-broken', async () => {
    const most = Array.from({ length: SESSION_LIMITS.windowChunks }, () => DELTA);
    const endSession = (chunks: object[]) =>
      endOfSession(bus.bus, inBroken('py-plain'), [{ sequence: 0, chunks, end: true }]);
    expect(await endSession(most)).toMatchObject({ type: 'continue' });
    const message = expect.stringContaining('when `processed` has advanced');
    expect(await endSession([...most, DELTA])).toMatchObject({ type: 'failure', code: 'message-invalid', message });
  });
});

test('millrace.py: a session that is opened again under its id continues, and the previous one sends nothing more', async (context) => {
  requirePython(context);
  const { program, entered } = await writeWaiting(scratch());
  await withProgram({ bus: bus.bus, python: python(), folder }, program, 'py-waiting', async () => {
    const id = crypto.randomUUID();
    const former = await openSession(bus.bus, { service: 'py-waiting', processor: 'py-waits' }, id);
    former.send({ sequence: 0, chunks: [DELTA], end: true });
    await eventually(() => existsSync(entered));
    former.stop();
    const again = await openSession(bus.bus, { service: 'py-waiting', processor: 'py-waits' }, id);
    again.send({ sequence: 0, chunks: [{ ...DELTA, payload: { id: '1', text: 'go' } }] });
    await eventually(() => again.outputs.some(({ processed }) => processed === 1));
    again.send({ sequence: 1, chunks: [], end: true });
    expect(await again.ended()).toMatchObject({ type: 'continue' });
    expect(again.outputs.map(({ sequence }) => sequence)).toEqual(again.outputs.map((_, at) => at));
    again.stop();
  });
});

const JUDGED = `import asyncio, json
from millrace import judge_texts
parts = [{"type": "text", "text": "a secret"}, {"type": "reasoning", "reasoning": "secret", "details": [{"type": "text", "text": "secret"}]},
         {"type": "tool-invocation", "toolInvocation": {"args": {"text": "secret"}}}, {"type": "text", "text": ""}]
message = lambda id, content: {"id": id, "role": "assistant", "content": {"format": 2, **content}}
messages = [message("m1", {"parts": parts, "content": "flat secret"}), message("m2", {"parts": [{"type": "text", "text": "plain"}]})]
call = type("Call", (), {"messages": lambda self, source: messages if source == "response" else []})()
async def judge(text):
    return text.replace("secret", "***")
print(json.dumps([asyncio.run(judge_texts(call, source, judge)) for source in ("response", "input")]))
`;

test('millrace.py: judge_texts replaces messages with changed texts or reasoning, and no arguments', async (context) => {
  requirePython(context);
  const { code, stdout, stderr } = await runCommand(python(), ['-c', JUDGED], { env: { PYTHONPATH: folder } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const parts = [
    { type: 'text', text: 'a ***' },
    { type: 'reasoning', reasoning: '***', details: [{ type: 'text', text: '***' }] },
    { type: 'tool-invocation', toolInvocation: { args: { text: 'secret' } } },
    { type: 'text', text: '' },
  ];
  const message = { id: 'm1', role: 'assistant', content: { format: 2, parts, content: 'flat ***' } };
  const replaced = { type: 'continue', changes: { ops: [{ op: 'replace', message }] } };
  expect(JSON.parse(stdout)).toEqual([replaced, null]);
});

test.for(['processor', 'tool'])(
  'the output of `millrace new %s --lang py` conforms to the protocol',
  { timeout: CHECK_MS },
  async (kind, context) => {
    requirePython(context);
    const written = join(scratch(), `new-${kind}`);
    expect(await millrace(['new', kind, `py-new-${kind}`, '--lang', 'py', '--into', written])).toMatchObject({
      code: 0,
    });
    const start = `exec "${python()}" "${join(written, 'main.py')}"`;
    const checked = await millrace(['check', `py-new-${kind}`, '--start', start], { env: { NATS_URL: nats.url } });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringContaining(' 0 are broken') });
  },
);
