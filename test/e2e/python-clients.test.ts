// The unchanged clients for Python, openai and litellm, against the gateway as a process of its own. Installs hundreds of
// megabytes, so it runs by command: npm run -s test:python.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseAgentFile } from '@millrace/client';
import { isObject } from '@millrace/contracts';
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { installAdapter } from './python/adapter-environment.ts';
import { CLIENT_SCRIPTS, INSTALL_MS, isPythonTested, runCases } from './python/client-cases.ts';
import { root, runCommand } from './run-command.ts';
import { startBalancer } from './balancer.ts';
import { createUserKey, listGatewayUrls, listTwoGateways, signalGateway } from './gateways.ts';
import { script } from './script.ts';

if (!isPythonTested) process.stderr.write('The clients for Python are tested only by `npm run test:python`.\n');

const folder = join(import.meta.dirname, 'python/clients');
const SCRIPTS = {
  ...CLIENT_SCRIPTS,
  late: script({ text: `${'A sentence that passes. '.repeat(60)} forbidden`, chunkSize: 8, delayMs: 2 }),
  question: script({ toolCalls: [{ name: 'ask-user', args: { question: 'Which city?' } }] }),
};

describe.skipIf(!isPythonTested)('the clients for Python', () => {
  const nats = useNats();
  const redis = useRedis();
  const stack = useStack(
    nats,
    ['orchestrator', 'guardrails', 'tools', 'auth', 'gateway'],
    () => ({
      GATEWAY_PORT: '0',
      REDIS_URL: redis.urlAs('gateway'),
    }),
    { processes: ['gateway'] },
  );
  let outcomes: Record<string, unknown> = {};
  let python = '';

  beforeAll(async () => {
    python = await installAdapter(folder);
    const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
    const { agents, keys } = stack.client;
    await agents.apply({ ...base, name: 'python-open', clientTools: true });
    const blocking = { use: 'regex-filter', options: { rules: [{ pattern: 'forbidden' }] } };
    await agents.apply({ ...base, name: 'python-guarded', input: ['prompt-injection'], output: [blocking] });
    await agents.apply({ ...base, name: 'python-asking', tools: ['ask-user'], questions: ['ask-user'] });
    const scopes: ('run' | 'read' | 'answer')[] = ['run', 'read', 'answer'];
    const { key } = await keys.create({ subject: 'py', scopes });
    const busy = await keys.create({ subject: 'busy', scopes, limits: { requestsPerMinute: 1 } });
    const [url = ''] = await listGatewayUrls(stack);
    outcomes = await runCases(python, join(folder, 'clients.py'), {
      BASE_URL: `${url}/v1`,
      API_KEY: key,
      BUSY_KEY: busy.key,
      OPEN: 'python-open',
      GUARDED: 'python-guarded',
      ASKING: 'python-asking',
      SCRIPTS: JSON.stringify(SCRIPTS),
      LITELLM_LOCAL_MODEL_COST_MAP: 'True',
    });
  }, INSTALL_MS);

  test.each([
    ['openai plain', 'Hello there, Ada.'],
    ['openai streamed', 'Hello there, Ada.'],
    ['openai models', true],
    ['openai tools', ['Rain.', 3]],
    ['openai structured', 'Oslo'],
    ['openai blocked', ['BadRequestError', 400, 'content_policy_violation']],
    ['openai blocked in the stream', ['ContentFilterFinishReasonError', null, null]],
    ['openai suspended', 'Which city?'],
    ['openai 401', ['AuthenticationError', 401, 'invalid_api_key']],
    ['openai 404', ['NotFoundError', 404, 'model_not_found']],
    ['openai 429', ['RateLimitError', 429, 'rate_limit_exceeded']],
    ['openai responses', 'Hello there, Ada.'],
    ['openai responses streamed', 'Hello there, Ada.'],
    ['openai responses tools', ['Rain.', 3]],
    ['openai responses structured', 'Oslo'],
    ['openai responses blocked in the stream', ['completed', 'refusal']],
    ['litellm plain', 'Hello there, Ada.'],
    ['litellm streamed', 'Hello there, Ada.'],
    ['litellm tools', ['Rain.', 3]],
    ['litellm structured', 'Oslo'],
    ['litellm blocked', ['ContentPolicyViolationError', 400, expect.anything()]],
    ['litellm blocked in the stream', 'content_filter'],
    ['litellm suspended', 'Which city?'],
    ['litellm 401', ['AuthenticationError', 401, null]],
    ['litellm 429', ['RateLimitError', 429, expect.anything()]],
    ['litellm 404', ['NotFoundError', 404, null]],
  ])('The case "%s" has the outcome that the package defines', (name, outcome) => {
    expect(outcomes[name]).toEqual(outcome);
  });

  test('The example for the openai client of Python prints a streamed answer and a block', async () => {
    const [url = ''] = await listGatewayUrls(stack);
    const { key } = await stack.client.keys.create({ subject: 'reader', scopes: ['run', 'read', 'answer'] });
    const text = readFileSync(join(root, 'deploy/agents/demo.yaml'), 'utf8');
    const { definition } = parseAgentFile('demo.yaml', text, {});
    if (!isObject(definition)) throw new Error('no agent');
    const { memory: _, ...demo } = definition;
    await stack.client.agents.apply(demo);
    const program = join(root, 'examples/http-examples/openai_client.py');
    const env = { OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: key };
    const { stdout } = await runCommand(python, [program], { env });
    expect(stdout).toBe('17 * 23 = 391.\nblocked: content_policy_violation\n');
  });

  test('Each client repeats its request when its gateway is killed, and the agent runs once', async () => {
    await stack.start('gateway');
    const { first, second } = await listTwoGateways(stack);
    const balancer = await startBalancer([first, second]);
    try {
      const names = ['litellm', 'openai-chat', 'openai-responses'];
      const made = names.map(async (name) => {
        const { key } = await createUserKey(stack, `killed-${name}`);
        return [name, key] as const;
      });
      const words = 'Once and only once, although the client has asked twice.';
      const env = {
        BASE_URL: `${balancer.url}/v1`,
        KEYS: JSON.stringify(Object.fromEntries(await Promise.all(made))),
        OPEN: 'python-open',
        SCRIPT: script({ text: words, chunkSize: 2, delayMs: 200 }),
        LITELLM_LOCAL_MODEL_COST_MAP: 'True',
      };
      const asked = runCases(python, join(folder, 'killed.py'), env);
      const listRuns = async () => {
        const { runs } = await stack.client.runs.list({ agent: 'python-open', newest: true, limit: 100 });
        const own = runs.filter(({ subject }) => subject?.startsWith('killed-'));
        return own.map(({ subject, status }) => `${subject} ${status}`).toSorted();
      };
      await expect
        .poll(listRuns, { timeout: 60_000, interval: 100 })
        .toEqual(names.map((name) => `killed-${name} running`));
      signalGateway(stack, 'last');
      expect(await asked).toEqual(Object.fromEntries(names.map((name) => [name, words])));
      expect(await listRuns()).toEqual(names.map((name) => `killed-${name} finished`));
    } finally {
      await balancer.close();
    }
  }, 120_000);
});
