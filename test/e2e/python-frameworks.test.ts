// The unchanged frameworks pydantic-ai, openai-agents and instructor for Python, against the gateway. Installs dozens of packages, so it
// runs by command: npm run -s test:python.
import { join } from 'node:path';
import { useNats, useRedis, useStack } from '@millrace/testkit';
import { beforeAll, describe, expect, test } from 'vitest';
import { listGatewayUrls } from './gateways.ts';
import { installAdapter } from './python/adapter-environment.ts';
import { CLIENT_SCRIPTS, INSTALL_MS, isPythonTested, runCases } from './python/client-cases.ts';
import { script } from './script.ts';

const folder = join(import.meta.dirname, 'python/frameworks');
const SCRIPTS = {
  ...CLIENT_SCRIPTS,
  call: script({ toolCalls: [{ name: 'City', args: { city: 'Oslo' } }] }),
  repaired: script(
    { toolCalls: [{ name: 'place', args: { town: 'Oslo' } }] },
    { toolCalls: [{ name: 'place', args: { city: 'Oslo' } }] },
  ),
  handoff: script({ toolCalls: [{ name: 'transfer_to_math', args: {} }] }, { text: '42' }),
};

const answer = 'Hello there, Ada.';
const PYDANTIC_AI = {
  plain: answer,
  tools: 'Rain.',
  'tools streamed': 'Rain.',
  structured: 'Oslo',
  'structured by a tool, repaired': 'Oslo',
  history: answer,
  blocked: ['ModelHTTPError', 400],
};
const OPENAI_AGENTS = {
  plain: answer,
  tools: 'Rain.',
  'tools streamed': 'Rain.',
  structured: 'Oslo',
  handoff: '42',
  session: answer,
  blocked: ['BadRequestError', 400],
};
const MODES = ['TOOLS', 'RESPONSES_TOOLS', 'JSON', 'JSON_SCHEMA', 'MD_JSON'];
const PROTOCOLS = ['chat', 'responses'];
const EXPECTED = [
  ...PROTOCOLS.flatMap((protocol) => [
    ...Object.entries(PYDANTIC_AI).map(([name, outcome]) => [`pydantic-ai ${protocol} ${name}`, outcome] as const),
    ...Object.entries(OPENAI_AGENTS).map(([name, outcome]) => [`openai-agents ${protocol} ${name}`, outcome] as const),
  ]),
  ...MODES.map((mode) => [`instructor ${mode}`, 'Oslo'] as const),
];

describe.skipIf(!isPythonTested)('the frameworks for Python', () => {
  const nats = useNats();
  const redis = useRedis();
  const stack = useStack(nats, ['orchestrator', 'guardrails', 'tools', 'auth', 'gateway'], () => ({
    GATEWAY_PORT: '0',
    REDIS_URL: redis.urlAs('gateway'),
  }));
  let outcomes: Record<string, unknown> = {};

  beforeAll(async () => {
    const python = await installAdapter(folder);
    const base = { model: 'openai/gpt-5-mini', instructions: 'Answer.', flushMs: 0 };
    const { agents, keys } = stack.client;
    await agents.apply({ ...base, name: 'frameworks-open', clientTools: true });
    await agents.apply({ ...base, name: 'frameworks-guarded', input: ['prompt-injection'] });
    const { key } = await keys.create({ subject: 'py', scopes: ['run', 'read', 'answer'] });
    const [url = ''] = await listGatewayUrls(stack);
    outcomes = await runCases(python, join(folder, 'frameworks.py'), {
      BASE_URL: `${url}/v1`,
      API_KEY: key,
      OPEN: 'frameworks-open',
      GUARDED: 'frameworks-guarded',
      SCRIPTS: JSON.stringify(SCRIPTS),
    });
  }, INSTALL_MS);

  test.each(EXPECTED)('The case "%s" has the outcome that the framework defines', (name, outcome) => {
    expect(outcomes[name]).toEqual(outcome);
  });
});
