// Checks the compose file's rules for every service, so that a new one cannot miss them.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { REDIS_USERS } from '@millrace/identity';
import { CONNECTION_VARIABLES } from '@millrace/service';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { PROXY } from './service-environment.ts';
import { SERVICES } from './service-table.ts';

const deploy = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(deploy, path), 'utf8');

const serviceSchema = z.looseObject({
  image: z.string(),
  cap_drop: z.array(z.string()).optional(),
  security_opt: z.array(z.string()).optional(),
  read_only: z.boolean().optional(),
  environment: z.record(z.string(), z.union([z.string(), z.number()])).default({}),
  volumes: z.array(z.string()).default([]),
  env_file: z.array(z.string()).default([]),
  healthcheck: z.looseObject({ interval: z.string().optional() }).optional(),
});
const { services } = z
  .object({ services: z.record(z.string(), serviceSchema) })
  .parse(parse(read('../docker-compose.yml'), { merge: true }));

test.each(Object.entries(services))('%s has no capabilities and gains none', (_name, service) => {
  expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
});

test('Every root is read-only except that of the image that writes outside of its volume', () => {
  const writable = Object.entries(services).filter(([, { read_only }]) => read_only !== true);
  expect(writable.map(([name]) => name)).toEqual(['qdrant']);
});

test('every image that is not built here has an exact version, and a variable that names another', () => {
  const foreign = Object.values(services).filter(({ image }) => !image.startsWith('millrace/'));
  expect(foreign).toHaveLength(3);
  for (const { image } of foreign) expect(image).toMatch(/^\$\{\w+_IMAGE:-[a-z/]+:v?\d+\.\d+\.\d+(-alpine)?\}$/);
  expect(read('Dockerfile')).toMatch(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-slim$/m);
});

const REDIS = '${MILLRACE_COMPOSE_REDIS_URL:-redis://redis:6379}';
test('Every service takes its servers from the variables of compose', () => {
  const found = Object.values(services).flatMap(({ environment: { NATS_URL, REDIS_URL, QDRANT_URL } }) =>
    [NATS_URL, REDIS_URL, QDRANT_URL].filter((url) => url !== undefined),
  );
  const pattern =
    /^\$\{MILLRACE_COMPOSE_(?:NATS_URL:-nats:\/\/nats:4222|REDIS_URL:-redis:\/\/redis:6379|QDRANT_URL:-http:\/\/qdrant:6333)\}$/;
  expect(found.length).toBeGreaterThan(10);
  expect(found.filter((url) => !pattern.test(String(url)))).toEqual([]);
});

test('each service with Redis is a user of its own, with the password in the volume of its keys', () => {
  const connected = Object.entries(services).filter(([, { environment }]) => environment['REDIS_URL']);
  const users = connected.map(([, { environment, volumes }]) => {
    expect(environment).toMatchObject({ REDIS_URL: REDIS, REDIS_PASSWORD_FILE: '/key/redis.password' });
    expect(volumes).toContain(`keys-${environment['REDIS_USERNAME']}:/key:ro`);
    return String(environment['REDIS_USERNAME']);
  });
  expect([...new Set(users)].toSorted()).toEqual(REDIS_USERS.map(({ name }) => name).toSorted());
});

test('Qdrant requires the API key of the service keys, and semantic-recall alone has it', () => {
  expect(services['qdrant']).toMatchObject({
    command: ['./entrypoint.sh', '--config-path', '/keys/config.yaml'],
    volumes: expect.arrayContaining(['keys-qdrant:/keys:ro']),
  });
  const clients = Object.entries(services).filter(([, { environment }]) => environment['QDRANT_API_KEY_FILE']);
  expect(clients).toMatchObject([
    [
      'semantic-recall',
      { environment: { QDRANT_API_KEY_FILE: '/key/qdrant.key' }, volumes: ['keys-semantic-recall:/key:ro'] },
    ],
  ]);
  const mounting = Object.entries(services).filter(([, { volumes }]) =>
    volumes.some((one) => one.startsWith('keys-qdrant:')),
  );
  expect(mounting.map(([name]) => name)).toEqual(['keys', 'qdrant']);
});

test('NATS has each write on the disk before it acknowledges it', () => {
  expect(read('nats/nats.conf')).toMatch(/^ {2}sync_interval: always$/m);
});

test('Health checks are infrequent, and no service waits for them', () => {
  const checks = Object.values(services).flatMap(({ healthcheck }) => (healthcheck?.interval ? [healthcheck] : []));
  expect(checks).toHaveLength(3);
  for (const check of checks) expect(check).toMatchObject({ interval: '30s', start_period: '60s' });
  expect(read('Dockerfile')).toContain('HEALTHCHECK --interval=30s --timeout=3s --start-period=60s');
  expect(read('../docker-compose.yml')).not.toContain('service_healthy');
});

test('only services that call a model receive the provider’s key', () => {
  const given = Object.entries(services).filter(([, service]) => JSON.stringify(service).match(/OPENAI|provider/));
  expect(given.map(([name]) => name).toSorted()).toEqual([
    'guardrails',
    'message-history',
    'orchestrator',
    'pii',
    'semantic-recall',
    'working-memory',
  ]);
});

test.each([
  ['', { OPENAI_API_KEY: 'stand-in', OPENAI_BASE_URL: 'http://dev-model:8080/v1' }],
  ['-key', { OPENAI_API_KEY: '${OPENAI_API_KEY}' }],
  ['-url', { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: '${OPENAI_BASE_URL}' }],
  ['-key-url', { OPENAI_API_KEY: '${OPENAI_API_KEY}', OPENAI_BASE_URL: '${OPENAI_BASE_URL}' }],
])('the provider%s variables are those that the caller set', (suffix, variables) => {
  expect(services['orchestrator']?.env_file).toEqual([
    'deploy/env/provider${OPENAI_API_KEY:+-key}${OPENAI_BASE_URL:+-url}.env',
    'deploy/env/providers.env',
  ]);
  const lines = read(`env/provider${suffix}.env`)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines).toEqual(Object.entries(variables).map(([name, value]) => `${name}=${value}`));
});

/** Documented variables that compose does not pass, by the reason. */
const NOT_PASSED: Readonly<Record<string, readonly string[]>> = {
  'the users of the NATS and the Redis of compose have keys, and no TLS': [
    ...CONNECTION_VARIABLES.filter((name) => name !== 'NATS_NKEY_FILE'),
    'REDIS_PASSWORD',
    'REDIS_TLS_CA_FILE',
    'REDIS_TLS_CERT_FILE',
    'REDIS_TLS_KEY_FILE',
    'QDRANT_API_KEY',
    'NODE_EXTRA_CA_CERTS',
  ],
  'the image sets them for its health check': ['HEALTH_PORT', 'HEALTH_HOST'],
  'stop_grace_period limits it': ['DRAIN_GRACE_MS'],
  'no service has an embedded store': ['SQLITE_PATH'],
  'a service of its own sets it, as pii does': ['PROCESSORS', 'TOOLS'],
  'it is for tests': ['MILLRACE_TIME_SCALE'],
};
const notPassed = new Set(Object.values(NOT_PASSED).flat());
/** Files of variables for the model provider, and the variables of Docker for proxies. */
const PASSED_OTHERWISE = new Set([
  'OPENAI_API_KEY',
  'OPENAI_BASE_URL',
  ...[...read('env/providers.env').matchAll(/^[A-Z_]+(?==)/gm)].map(([name]) => name),
  ...PROXY,
]);

test.each(SERVICES)('compose passes every variable that $name reads', ({ name, reads }) => {
  const { environment = {} } = services[name] ?? {};
  const dropped = reads.filter((variable) => !(variable in environment) && !PASSED_OTHERWISE.has(variable));
  expect(dropped.filter((variable) => !notPassed.has(variable))).toEqual([]);
});

test('compose passes every documented variable of a service', () => {
  const passed = new Set(Object.values(services).flatMap(({ environment }) => Object.keys(environment)));
  const documented = ['docs/configuration.md', 'docs/http.md', 'deploy/README.md'].flatMap((path) =>
    [...read(`../${path}`).matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([A-Z][A-Z0-9_]{3,})`/g)].map(([, variable = '']) => variable),
    ),
  );
  expect(documented.length).toBeGreaterThan(60);
  const isKnown = (variable: string) =>
    passed.has(variable) || PASSED_OTHERWISE.has(variable) || notPassed.has(variable);
  const ofCompose = /_(?:IMAGE|MONITOR_PORT)$|^NATS_PORT$|^MILLRACE_COMPOSE_/;
  expect([...new Set(documented)].filter((variable) => !isKnown(variable) && !ofCompose.test(variable))).toEqual([]);
  for (const variable of notPassed) expect(documented, `${variable} of NOT_PASSED`).toContain(variable);
});

test('each variable that compose passes has the value of the variable with the same name', () => {
  const passed = Object.values(services).flatMap(({ environment }) =>
    Object.entries(environment).filter(([, value]) => String(value).startsWith('${')),
  );
  expect(passed.length).toBeGreaterThan(50);
  for (const [name, value] of passed)
    expect(value).toMatch(new RegExp(`^\\$\\{(?:MILLRACE_COMPOSE_)?${name}:-[^}]*\\}$`));
});
