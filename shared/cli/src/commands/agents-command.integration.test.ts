// Tests `millrace agents` over a real NATS server with scripted answers.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MillraceError, type JsonValue } from '@millrace/contracts';
import { useBus, useNats, appliedAgent, invalidAgent, serveScriptedApi, type ScriptedApi } from '@millrace/testkit';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { millrace } from '../testing/recorded-io.ts';

const nats = useNats();
const service = useBus(nats, 'orchestrator');
let api: ScriptedApi;
let cwd: string;
/** Error with which the scripted API rejects the next requests. */
let refusals: Error[] = [];
let applied: JsonValue[] = [];

const cli = (args: string[], env = {}) => millrace(args, { env: { NATS_URL: nats.url, ...env }, cwd });
const file = (text: string) => writeFile(join(cwd, 'demo.yaml'), text);
const yaml =
  'name: demo\nmodel: ${MODEL:-openai/x}\ninput:\n  - pii\n  - use: keyword\n    options: { strategy: shout }\n';
const unknown = {
  code: 'processor-unknown' as const,
  message: 'Nobody serves "pii".',
  path: 'input[0]',
  remedy: 'Start it.',
};
const badOption = {
  code: 'options-invalid' as const,
  message: 'must be block, warn or redact',
  path: 'input[1].options.strategy',
  remedy: 'Choose one.',
};

beforeAll(async () => {
  cwd = await mkdtemp(join(tmpdir(), 'millrace-agents-'));
  api = serveScriptedApi(service.bus, {
    answers: {
      'agents-apply': async ({ definition, dryRun }) => {
        const refusal = refusals.shift();
        if (refusal) throw refusal;
        const isSame = JSON.stringify(definition) === JSON.stringify(applied.at(-1));
        if (!dryRun) applied.push(definition);
        return { applied: appliedAgent('demo', dryRun ? 0 : applied.length), changed: !isSame, warnings: [] };
      },
      'agents-list': async () => ({ agents: [appliedAgent('demo', 1), appliedAgent('other', 2)] }),
      'agents-delete': async ({ agent }) => {
        if (agent === 'demo') return { agent, revision: 4 };
        throw new MillraceError('agent-unknown', `There is no agent "${agent}".`);
      },
      'agents-get': async ({ agent }) => appliedAgent(agent, 4),
      'agents-plan': async ({ agent, definition }) => {
        if (definition !== undefined) throw invalidAgent(badOption);
        const warnings = [{ code: 'judge-under-when' as const, message: '"pii" is called only sometimes.' }];
        return { ...appliedAgent(agent ?? 'none', 4), warnings };
      },
    },
  });
});
beforeEach(() => {
  refusals = [];
  applied = [];
});
afterAll(async () => {
  await api.stop();
  await rm(cwd, { recursive: true, force: true });
});

describe('millrace agents apply', () => {
  test('agents apply sends the definition with its variables filled in and prints the revision', async () => {
    await file(yaml);
    expect(await cli(['agents', 'apply', 'demo.yaml'], { MODEL: 'openai/y' })).toMatchObject({
      code: 0,
      stdout: 'demo is applied, revision 1\n',
      stderr: '',
    });
    expect(applied).toEqual([
      { name: 'demo', model: 'openai/y', input: ['pii', { use: 'keyword', options: { strategy: 'shout' } }] },
    ]);
  });

  test('agents apply --dry-run stores nothing', async () => {
    await file(yaml);
    expect(await cli(['agents', 'apply', 'demo.yaml', '--dry-run'])).toMatchObject({
      code: 0,
      stdout: 'demo can be applied\n',
    });
    expect(applied).toEqual([]);
  });

  test('agents apply prints every problem with its line, its path and its remedy', async () => {
    await file(yaml);
    refusals = [invalidAgent(unknown, badOption)];
    const { code, stdout, stderr } = await cli(['agents', 'apply', 'demo.yaml']);
    expect([code, stdout]).toEqual([5, '']);
    expect(stderr.split('\n')).toEqual([
      'error: demo.yaml is refused: 2 problems. (agent-invalid)',
      '  demo.yaml:4:5: Nobody serves "pii". (processor-unknown)',
      '    at: input[0]',
      '    remedy: Start it.',
      '  demo.yaml:6:16: must be block, warn or redact (options-invalid)',
      '    at: input[1].options.strategy',
      '    remedy: Choose one.',
      '',
    ]);
  });

  test('agents apply prints the position of a YAML error and sends no request', async () => {
    await file('name: demo\ninput: [a, b\nmodel: x\n');
    const { code, stderr } = await cli(['agents', 'apply', 'demo.yaml'], { NATS_URL: 'nats://127.0.0.1:9' });
    expect(code).toBe(5);
    expect(stderr).toMatch(/^ {2}demo\.yaml:\d+:\d+: .* \(agent-invalid\)$/m);
  });

  test('agents apply --wait retries while a processor or a service is missing', async () => {
    await file(yaml);
    refusals = [invalidAgent(unknown), invalidAgent(unknown)];
    const { code, stdout, stderr } = await cli(['agents', 'apply', 'demo.yaml', '--wait', '20s']);
    expect([code, stdout]).toEqual([0, 'demo is applied, revision 1\n']);
    expect(stderr).toBe('[wait] Nobody serves "pii".\n');
  });

  test('agents apply --wait fails at once for an invalid definition', async () => {
    await file(yaml);
    refusals = [invalidAgent(unknown, badOption), invalidAgent(unknown)];
    expect(await cli(['agents', 'apply', 'demo.yaml', '--wait', '20s'])).toMatchObject({ code: 5 });
    expect(refusals).toHaveLength(1);
  });

  test('agents apply --wait gives up at the timeout with the last reason', async () => {
    await file(yaml);
    const { code, stderr } = await cli(['agents', 'apply', 'demo.yaml', '--wait', '1s'], {
      NATS_URL: 'nats://127.0.0.1:9',
    });
    expect(code).toBe(6);
    expect(stderr).toContain('(bus-unreachable)');
  });

  test('agents apply of a missing file is a usage error', async () => {
    expect(await cli(['agents', 'apply', 'nowhere.yaml'])).toMatchObject({ code: 1 });
  });
});

describe('millrace agents', () => {
  test('agents list prints a table, or JSON with --json', async () => {
    expect((await cli(['agents', 'list'])).stdout).toMatch(/^NAME .*\ndemo .*\nother .*\n$/);
    expect(JSON.parse((await cli(['agents', 'list', '--json'])).stdout)).toHaveLength(2);
  });

  test('agents show prints the definition', async () => {
    expect((await cli(['agents', 'show', 'demo'])).stdout).toMatch(/^# revision 4.*\nname: demo\n/);
  });

  test('agents delete prints the deleted revision and rejects an unknown agent', async () => {
    expect(await cli(['agents', 'delete', 'demo'])).toMatchObject({ code: 0, stdout: 'demo is deleted, revision 4\n' });
    const refused = await cli(['agents', 'delete', 'other']);
    expect(refused).toMatchObject({ stdout: '', stderr: expect.stringContaining('agent-unknown') });
    expect(refused.code).not.toBe(0);
  });

  test('agents plan prints the resolved order of an agent or of a file', async () => {
    expect((await cli(['agents', 'plan', 'demo'])).stdout).toMatch(
      /^demo \(revision 4\)[\s\S]*processInput\n[\s\S]* 1 {2}pii/,
    );
    expect((await cli(['agents', 'plan', 'demo'])).stderr).toMatch(/^warning: .*only sometimes.*judge-under-when/);
    await file(yaml);
    const { code, stderr } = await cli(['agents', 'plan', './demo.yaml']);
    expect(code).toBe(5);
    expect(stderr).toContain('./demo.yaml:6:16: must be block');
  });
});
