// Tests the commands that only read over a real NATS server with scripted answers.
import {
  DEFAULT_THREAD_TITLE,
  MillraceError,
  buildTextMessage,
  type ProcessorInfo,
  type ClaimEvent,
  type RefusedEndpoint,
} from '@millrace/contracts';
import { useBus, useNats, serveScriptedApi, type ScriptedApi, processorMetadata } from '@millrace/testkit';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { millrace } from './testing/recorded-io.ts';

const nats = useNats();
const service = useBus(nats, 'conversation');
let api: ScriptedApi;
const metadata = processorMetadata('pii', 'processInput');
const pii: ProcessorInfo[] =
  metadata.kind === 'processor'
    ? [{ ...metadata.descriptor, aliases: ['PIIDetector'], service: 'guardrails', replicas: ['r1', 'r2'] }]
    : [];
/** Rejected advertisements of the scripted answer. */
let refused: RefusedEndpoint[] = [];
let claims: ClaimEvent[] = [];
const cli = (...args: string[]) => millrace(args, { env: { NATS_URL: nats.url } });

beforeAll(async () => {
  const thread = {
    resourceId: 'ada',
    title: 'Sums',
    createdAt: 'then',
    updatedAt: 'now',
    messageCount: 2,
    metadata: {},
  };
  api = serveScriptedApi(service.bus, {
    agents: {
      demo: ({ events, request, text, say, finish }) => {
        const at = { at: '2026-11-01T10:00:00.000Z', epoch: 1, step: 0 };
        const entry = {
          entry: 'pii',
          processor: 'pii',
          verdict: 'failure',
          ms: 5,
          attempts: 2,
          skipped: true,
          reason: 'too slow',
        };
        events.push({ event: 'stage', ...at, stage: 'processInput', ms: 6, entries: [entry] });
        say(text(request.agent));
        finish('demo');
      },
    },
    answers: {
      'threads-list': async ({ resourceId }) => ({
        threads: ['Sums', DEFAULT_THREAD_TITLE].map((title, n) => ({ ...thread, id: `of-${resourceId}-${n}`, title })),
        total: 3,
      }),
      'messages-list': async ({ threadId, last }) => {
        if (threadId === 'none') throw new MillraceError('thread-unknown', 'There is no thread "none".');
        const messages = [
          buildTextMessage('m1', 'user', 'What is\n17 * 23?'),
          buildTextMessage('m2', 'assistant', '391\u001b[2J'),
        ];
        return { messages: messages.slice(-(last ?? 2)), total: 2 };
      },
      'runs-list': async ({ after, limit, newest, status, agent, since }) => {
        if (!newest) throw new Error('the command asks for the newest runs');
        if (since !== undefined && since !== '2026-01-31T11:00:00.000Z') throw new Error(`since is ${since}`);
        const runs = Array.from({ length: 35 }, (_, n) => ({
          runId: `run-${n}`,
          status: n % 2 ? ('failed' as const) : ('finished' as const),
          agent: agent ?? 'demo',
          submittedAt: `${n}`,
        }));
        const found = runs.filter((run) => status === undefined || run.status === status).toReversed();
        // The last one of a page is the cursor of the next page.
        const page = found.slice(after, after + Math.min(limit, 15));
        const next = after + page.length;
        return { runs: page, ...(next < found.length && { next }) };
      },
      'saves-list': async ({ threadId = '' }) => {
        const save = { runId: 'run-7', threadId, entries: ['message-history'], since: 'then', tries: 3 };
        const saves = threadId === 'of-away' ? [{ ...save, code: 'store-unavailable' }] : [];
        return { saves, total: saves.length };
      },
      'dead-letters-list': async () => {
        const error = { code: 'run-given-up' as const, message: '6 orchestrators were lost.' };
        const letter = { tenant: 'default', agent: 'demo', at: 'then', error };
        return {
          letters: [
            { ...letter, what: 'run' as const, runId: 'run-1', retriedAs: 'run-2' },
            { ...letter, what: 'save' as const, runId: 'run-3', entries: ['message-history'] },
          ],
        };
      },
      'dead-letters-retry': async () => ({ what: 'run' as const, runId: 'run-2' }),
      processors: async () => ({ processors: pii, refused, refusedTotal: refused.length * 2, claims }),
      'memory-get': async ({ resourceId }) => ({ memory: { name: resourceId ?? 'nobody' }, version: 7 }),
    },
  });
});
afterAll(async () => {
  await api.stop();
});

test('processors list prints the running processors with their replicas', async () => {
  const { code, stdout } = await cli('processors', 'list');
  expect(code).toBe(0);
  expect(stdout).toMatch(
    /^PROCESSOR .*\npii +guardrails +2 +1\.0\.0 +5000 ms × 2, fail +processInput processOutputStream\n$/,
  );
});

test('processors list --problems prints only rejected advertisements', async () => {
  expect(await cli('processors', 'list', '--problems')).toMatchObject({
    code: 0,
    stdout: '',
    stderr: 'no advertisement is rejected\n',
  });
  refused = [{ service: 'misplaced', name: 'pii', problem: 'it is served\u001b[2J elsewhere' }];
  const listed = await cli('processors', 'list', '--problems');
  const { stdout } = await cli('processors', 'list', '--problems', '--json');
  refused = [];
  expect(listed.stdout).toMatch(/^pii of the service misplaced: it is served.* elsewhere\n$/);
  expect(listed.stdout).not.toContain('\u001b');
  expect(listed.stderr).toBe('2 advertisements are rejected, of which 1 are listed\n');
  expect(JSON.parse(stdout)).toMatchObject([{ service: 'misplaced', name: 'pii' }]);
});

test('processors list --problems prints the stored claims of services that may have left', async () => {
  const at = '2026-01-01T00:00:00.000Z';
  claims = [{ event: 'claim', at, name: 'pii', service: 'mine', owner: 'guardrails' }];
  const listed = await cli('processors', 'list', '--problems');
  const { stdout } = await cli('processors', 'list', '--problems', '--json');
  const stored = claims;
  claims = [];
  expect(listed.stdout).toBe(`${at} the service mine advertised pii, which guardrails serves\n`);
  expect(JSON.parse(stdout)).toEqual(stored);
});

test('processors list --json includes the schema of the options', async () => {
  expect(JSON.parse((await cli('processors', 'list', '--json')).stdout)).toMatchObject([
    {
      id: 'pii',
      service: 'guardrails',
      policy: { onFailure: 'fail' },
      optionsSchema: { properties: { strategy: {} } },
    },
  ]);
});

test('processors show prints stages, policy and options of one processor, also by an alias', async () => {
  const { code, stdout } = await cli('processors', 'show', 'pii');
  expect(code).toBe(0);
  expect(stdout).toContain('service: guardrails, 2 replicas\n');
  expect(stdout).toContain('stages: processInput (input), processOutputStream (output)\nreads: input\n');
  expect(stdout).toMatch(/\noptions:\n {2}strategy: string\n$/);
  expect(JSON.parse((await cli('processors', 'show', 'PIIDetector', '--json')).stdout)).toMatchObject({ id: 'pii' });
});

test('processors show rejects a processor that no service advertises', async () => {
  expect(await cli('processors', 'show', 'none')).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('(processor-unknown)'),
  });
});

test('threads list prints the threads of a resource and the number of omitted ones', async () => {
  const { stdout, stderr } = await cli('threads', 'list', '--resource', 'ada', '--limit', '1');
  expect(stdout).toMatch(/\nof-ada-0 +ada +2 +now +Sums\n/);
  expect(stderr).toContain('2 of 3');
});

test('threads list prints the first words of a thread without a title', async () => {
  const { stdout } = await cli('threads', 'list', '--resource', 'ada');
  expect(stdout).toMatch(/\nof-ada-1 +ada +2 +now +"What is 17 \* 23\?"\n$/);
  expect(JSON.parse((await cli('threads', 'list', '--resource', 'ada', '--json')).stdout)[1].title).toBe(
    DEFAULT_THREAD_TITLE,
  );
});

test('threads messages prints the messages without terminal control characters', async () => {
  const { code, stdout } = await cli('threads', 'messages', 'of-ada');
  expect(code).toBe(0);
  expect(stdout).toMatch(/^user {2}\S+\n {2}What is\n {2}17 \* 23\?\nassistant {2}\S+\n {2}391\uFFFD\[2J\n$/);
  expect(JSON.parse((await cli('threads', 'messages', 'of-ada', '--last', '1', '--json')).stdout)).toHaveLength(1);
});

test('threads messages prints the ids of runs that are not stored yet', async () => {
  const { code, stderr } = await cli('threads', 'messages', 'of-away');
  expect({ code, stderr }).toEqual({ code: 0, stderr: 'run run-7 is not stored yet (store-unavailable)\n' });
});

test('dead-letters list prints dead letters with their errors, and dead-letters retry prints the id of the new run', async () => {
  const { code, stdout } = await cli('dead-letters', 'list');
  expect(code).toBe(0);
  expect(stdout).toMatch(/\nrun-1 +run +demo +then +run-2 +6 orchestrators were lost\. \(run-given-up\)\n/);
  expect(stdout).toMatch(/\nrun-3 +save: message-history +demo/);
  expect(await cli('dead-letters', 'retry', 'run-1')).toMatchObject({ code: 0, stdout: 'run-2\n' });
});

test('threads messages rejects an unknown thread', async () => {
  expect(await cli('threads', 'messages', 'none')).toMatchObject({
    code: 5,
    stderr: 'error: There is no thread "none". (thread-unknown)\n',
  });
});

test('memory show prints the working memory as JSON', async () => {
  const { stdout, stderr } = await cli('memory', 'show', '--resource', 'ada');
  expect([JSON.parse(stdout), stderr]).toEqual([{ name: 'ada' }, 'version 7\n']);
});

test('runs show and runs events print the outcome of a run, and skipped entries with the reason', async () => {
  const { stderr } = await cli('run', 'demo', 'hi');
  const id = /\[run\] (\S+)/.exec(stderr)?.[1] ?? 'none';
  expect((await cli('runs', 'show', id)).stdout).toMatch(/^run: \S+\nstatus: finished\n[\s\S]*\n\ndemo\n$/);
  const { stdout } = await cli('runs', 'events', id, '--detail');
  expect(stdout).toMatch(/\n0 +processInput +pii +failure, skipped +5\.0 +too slow; 2 attempts; 6\.0 in all\n$/);
  expect((await cli('runs', 'events', id)).stdout).not.toContain('too slow');
  expect(JSON.parse((await cli('runs', 'events', id, '--json')).stdout)).toHaveLength(1);
  expect(await cli('runs', 'events', 'none')).toMatchObject({ code: 5 });
});

test('runs list prints the newest runs of all pages, the newest last', async () => {
  const { code, stdout, stderr } = await cli('runs', 'list', '--last', '2');
  expect([code, stderr]).toEqual([0, 'the newest 2 are shown; see --last\n']);
  expect(stdout).toMatch(/^RUN .*\nrun-33 +failed +demo +33\nrun-34 +finished +demo +34\n$/);
  expect((await cli('runs', 'list')).stdout.trimEnd().split('\n')).toHaveLength(1 + 20);
});

test('runs list --status prints only runs of one status and rejects an unknown status', async () => {
  const { stdout } = await cli('runs', 'list', '--status', 'failed', '--last', '100', '--json');
  expect(JSON.parse(stdout)).toHaveLength(17);
  const filtered = await cli('runs', 'list', '--agent', 'other', '--since', '2026-01-31T12:00:00+01:00', '--json');
  expect(JSON.parse(filtered.stdout)[0]).toMatchObject({ agent: 'other' });
  expect((await cli('runs', 'list', '--since', 'soon')).stderr).toContain('--since takes a time');
  expect(await cli('runs', 'list', '--status', 'gone')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('queued, running, suspended'),
  });
});
