// Tests `millrace run`, `follow` and `cancel` over a real NATS server, as separate processes if signals and pipes
// matter. The orchestrator is a scripted stand-in.
import { readMessageText, type Chunk } from '@millrace/contracts';
import { publish } from '@millrace/bus';
import { eventually, useBus, useNats, serveScriptedApi, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startMillrace } from '../testing/cli-process.ts';
import { millrace } from '../testing/recorded-io.ts';

const nats = useNats();
const service = useBus(nats, 'orchestrator');
let api: ScriptedApi;
const env = () => ({ NATS_URL: nats.url });
const cli = (...args: string[]) => millrace(args, { env: env() });
const readRunId = (stderr: string) => /\[run\] (\S+)/.exec(stderr)?.[1] ?? 'none';

beforeAll(() => {
  const base = (runId: string) => ({ runId, from: 'AGENT' as const });
  api = serveScriptedApi(service.bus, {
    agents: {
      echo: ({ request, say, text, finish }) => {
        say(text('Hello '), text(`${request.threadId}/${request.resourceId}/${request.deadlineMs}`));
        finish('Hello');
      },
      blocked: ({ request, end }) => {
        const tripwire = { reason: 'an injection', processorId: 'prompt-injection' };
        end('aborted', { ...base(request.runId), type: 'tripwire', payload: tripwire }, { tripwire });
      },
      failing: ({ request, end }) => {
        const error = { code: 'processor-not-there' as const, message: 'Nobody answers for pii.', remedy: 'Start it.' };
        end('failed', { ...base(request.runId), type: 'error', payload: { error } }, { error });
      },
      retried: ({ request, say, text, finish }) => {
        const retract: Chunk = { runId: request.runId, from: 'SYSTEM', type: 'retract', payload: { index: 0 } };
        say(text('bad'), retract, text('good'));
        finish('good');
      },
      patient: async ({ request, say, text, cancelAsked, end }) => {
        say(text('thinking'));
        await cancelAsked;
        end('cancelled', { ...base(request.runId), type: 'abort', payload: {} });
      },
      talkative: async ({ request, say, text, cancelAsked, end }) => {
        let asked = false;
        void cancelAsked.then(() => (asked = true));
        await eventually(() => {
          say(text('word '));
          return asked;
        });
        end('cancelled', { ...base(request.runId), type: 'abort', payload: {} });
      },
      parrot: ({ request, say, text, finish }) => {
        const said = request.messages.map(readMessageText).join();
        say(text(said));
        finish(said);
      },
      garbled: ({ request, say, text, finish }) => {
        publish(service.bus, service.bus.subjects.chunks(request.tenant, 'operator', request.runId), {
          epoch: 'x',
          index: 0,
        });
        say(text('all the same'));
        finish('all the same');
      },
      deaf: ({ say, text }) => say(text('thinking')),
    },
  });
});
afterAll(() => api.stop());

describe('millrace run', () => {
  test('millrace run prints the answer alone to stdout and exits with 0', async () => {
    const { code, stdout, stderr } = await cli(
      'run',
      'echo',
      'hi',
      '--thread',
      't1',
      '--resource',
      'ada',
      '--timeout',
      '30s',
    );
    expect([code, stdout]).toEqual([0, 'Hello t1/ada/30000\n']);
    expect(stderr).toMatch(/^\[run\] \S+\n$/);
  });

  test('millrace run --json prints one chunk per line', async () => {
    const { code, stdout } = await cli('run', 'echo', 'hi', '--json');
    const types = stdout
      .trimEnd()
      .split('\n')
      .map((line) => String(JSON.parse(line).type));
    expect([code, types]).toEqual([0, ['text-delta', 'text-delta', 'finish']]);
  });

  test('millrace run reports the rejection of a message and continues', async () => {
    const { code, stdout, stderr } = await cli('run', 'garbled', 'hi');
    expect([code, stdout]).toEqual([0, 'all the same\n']);
    expect(stderr).toMatch(
      /^\[client\] invalid message rejected: subject \S+, error .* does not fit: epoch must be a number/m,
    );
  });

  test('millrace run as a process streams to its pipe and ends with its exit code', async () => {
    const running = startMillrace(['run', 'patient', 'hi'], { env: env() });
    await running.waitForText('thinking');
    const [id, run] = [...api.runs].at(-1) ?? ['none'];
    expect(run?.status()).toBe('running');
    run?.cancel();
    expect(await running.ended).toMatchObject({ code: 4, stdout: 'thinking\n', stderr: `[run] ${id}\ncancelled\n` });
  });

  test('millrace run reports a retraction and continues', async () => {
    const { stdout, stderr } = await cli('run', 'retried', 'hi');
    expect(stdout).toBe('bad\ngood\n');
    expect(stderr).toContain('[withdrawn]');
  });

  test('millrace run of a blocked run exits with a code other than 0 and prints the processor and the reason', async () => {
    const { code, stdout, stderr } = await cli('run', 'blocked', 'hi');
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('aborted (blocked by prompt-injection): an injection');
  });

  test('millrace run of a failed run prints the error with its remedy', async () => {
    const { code, stderr } = await cli('run', 'failing', 'hi');
    expect(code).toBe(3);
    expect(stderr).toContain('error: Nobody answers for pii. (processor-not-there)\n  remedy: Start it.');
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('millrace run is cancelled by %s', async (signal) => {
    const running = startMillrace(['run', 'patient', 'hi'], { env: env() });
    await running.waitForText('thinking');
    running.kill(signal);
    const { code, stderr } = await running.ended;
    expect(code).toBe(4);
    expect(stderr).toContain('cancelled');
    expect(api.asked).toContain(`cancel ${readRunId(stderr)}`);
  });

  test('millrace run cancels once if npm duplicates a Ctrl-C', async () => {
    const running = startMillrace(['run', 'patient', 'hi'], { env: env() });
    await running.waitForText('thinking');
    running.kill('SIGINT');
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(4);
  });

  test('millrace run through npm keeps its exit code at Ctrl-C', async () => {
    const running = startMillrace(['run', 'patient', 'hi'], { env: env(), npm: true });
    await running.waitForText('thinking');
    running.killGroup('SIGINT');
    expect(await running.ended).toMatchObject({ code: 4, signal: null });
  });

  test('millrace run cancels its run and exits with 141 if the reader of its output closes the pipe', async () => {
    const running = startMillrace(['run', 'talkative', 'hi'], { env: env() });
    await running.waitForText('word');
    running.closeOutput();
    const { code, stderr } = await running.ended;
    expect(code).toBe(141);
    expect(stderr).toContain('the reader of stdout closed the pipe: cancelling');
    expect(api.asked).toContain(`cancel ${readRunId(stderr)}`);
    expect(api.runs.get(readRunId(stderr))?.status()).toBe('cancelled');
  });

  test('millrace run exits at the second Ctrl-C in every state of the run', async () => {
    const running = startMillrace(['run', 'deaf', 'hi'], { env: env() });
    await running.waitForText('thinking');
    running.kill('SIGINT');
    await running.waitForText('cancelling');
    const ended = running.ended.then(({ code }) => code);
    const again = () => {
      running.kill('SIGINT');
      return Promise.race([ended, Promise.resolve(undefined)]);
    };
    expect(await eventually(again)).toBe(130);
  });

  test('millrace run rejects an unknown agent', async () => {
    const { code, stderr } = await cli('run', 'nobody', 'hi');
    expect(code).toBe(5);
    expect(stderr).toBe(
      'error: There is no agent "nobody". (agent-unknown)\n  at: agent\n  remedy: Apply it: millrace agents apply FILE.\n',
    );
  });

  test('An invalid thread id is a usage error that names the option instead of a field or a subject', async () => {
    const { code, stderr } = await cli('run', 'echo', 'hi', '--thread', 'with space');
    expect(code).toBe(1);
    expect(stderr).toBe(
      'error: --thread must be 1 to 200 printable ASCII characters, no spaces\n  Try: millrace run --help\n',
    );
  });

  test.each([[['run', 'parrot', '-']], [['run', 'parrot']], [['run', '--timeout', '30s', 'parrot', '-']]])(
    'millrace run reads its text from stdin: %j',
    async (args) => {
      const { code, stdout } = await millrace(args, { env: env(), input: 'What is\n17 * 23?\n' });
      expect([code, stdout]).toEqual([0, 'What is\n17 * 23?\n']);
    },
  );

  test('millrace run as a process reads its text from a pipe', async () => {
    const running = startMillrace(['run', 'parrot'], { env: env(), input: 'from a pipe\n' });
    expect(await running.ended).toMatchObject({ code: 0, stdout: 'from a pipe\n' });
  });

  test('millrace run without a text, or with an empty stdin, is a usage error', async () => {
    expect(await cli('run', 'echo')).toMatchObject({ code: 1, stderr: expect.stringContaining('TEXT in quotes') });
    const empty = await millrace(['run', 'echo', '-'], { env: env(), input: '\n' });
    expect(empty).toMatchObject({ code: 1, stderr: expect.stringContaining('stdin is empty') });
  });

  test('millrace run accepts a text that looks like an option after --', async () => {
    expect((await cli('run', 'echo', '--', '--help')).stdout).toBe('Hello undefined/undefined/600000\n');
  });
});

describe('millrace follow', () => {
  test('millrace follow replays an ended run with its exit code', async () => {
    const { stderr } = await cli('run', 'blocked', 'hi');
    const followed = await cli('follow', readRunId(stderr), '--json');
    expect(followed.code).toBe(2);
    expect(followed.stdout).toContain('"tripwire"');
  });

  test('millrace follow leaves the run untouched at Ctrl-C', async () => {
    const running = startMillrace(['run', 'patient', 'hi'], { env: env() });
    await running.waitForText('thinking');
    const id = [...api.runs.keys()].at(-1) ?? 'none';
    const following = startMillrace(['follow', id], { env: env() });
    await following.waitForText('thinking');
    following.kill('SIGINT');
    expect((await following.ended).signal).toBe('SIGINT');
    expect(api.runs.get(id)?.status()).toBe('running');
    expect(await cli('cancel', id)).toMatchObject({ code: 0, stdout: 'running\n' });
    expect((await running.ended).code).toBe(4);
  });

  test('millrace follow rejects an unknown run', async () => {
    const { code, stderr } = await cli('follow', 'nobody-knows-it');
    expect(code).toBe(5);
    expect(stderr).toMatch(/^error: .*\(run-unknown\)\n {2}remedy: /);
  });
});

describe('an unreachable server', () => {
  test('The exit code reports that NATS is unreachable', async () => {
    const { code, stderr } = await millrace(['run', 'echo', 'hi'], { env: { NATS_URL: 'nats://127.0.0.1:9' } });
    expect(code).toBe(6);
    expect(stderr).toMatch(
      /^error: No NATS server answers at nats:\/\/127\.0\.0\.1:9\..*\(bus-unreachable\)\n {2}remedy: /,
    );
  });

  test('The exit code reports a NATS server without Millrace', async () => {
    const { code, stderr } = await millrace(['run', 'echo', 'hi'], { env: { ...env(), MILLRACE_PREFIX: 'other.v1' } });
    expect(code).toBe(6);
    expect(stderr).toContain('(nobody-there)');
  });
});

describe('the command line', () => {
  test('The command prints its version', async () => {
    expect(await cli('--version')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^millrace \d+\.\d+\.\d+, Node \d+\./),
    });
  });

  test('--help lists the exit codes and the variables', async () => {
    const { code, stdout, stderr } = await cli('--help');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/EXIT CODES[\s\S]* 2 {2}the run was aborted[\s\S]*NATS_URL/);
    expect((await cli('agents', 'apply', '--help')).stdout).toContain('--dry-run');
  });

  test.each([
    [['run', 'echo']],
    [['run', 'echo', 'hi', '--thred', 't']],
    [['run', 'echo', 'hi', 'there']],
    [['run', 'echo', 'hi', '--thread']],
    [['run', 'echo', 'hi', '--timeout', 'soon']],
    [['run', 'echo', 'hi', '--timeout', '25h']],
    [['run', 'echo', 'hi', '--input-processors', 'pii', '--inputProcessors=secrets']],
    [['run', 'echo', 'hi', '--no-input-processors']],
    [['run', 'echo', 'hi', '--output-processors', '{}']],
    [['walk']],
    [['constructor']],
    [['agents', 'aply']],
    [['memory', 'show']],
  ])('A wrong command line is rejected before any request: %j', async (args) => {
    const { code, stdout, stderr } = await millrace(args, { env: { NATS_URL: 'nats://127.0.0.1:9' } });
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^error: .*\n {2}Try: millrace.* --help\n$/);
  });
});
