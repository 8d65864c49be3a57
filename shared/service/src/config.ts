// A service's configuration: its environment through a schema. All problems are reported at once, each with the variable.
import { DEFAULT_PREFIX, MillraceError, listIssues, prefixSchema, type Issue } from '@millrace/contracts';
import { z } from 'zod';

/** Variables of every service. docs/configuration.md documents them. */
export const baseConfigSchema = z.object({
  NATS_URL: z.string().optional().describe('absent: that of .millrace/stack.json, found upwards, else localhost:4222'),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  NATS_NKEY_FILE: z.string().optional().describe("file with the seed of the service's NATS user"),
  NATS_CREDS_FILE: z.string().optional().describe('file with the JWT and the seed of the NATS user'),
  NATS_TLS: z.literal('required').optional(),
  NATS_TLS_CA_FILE: z.string().optional(),
  NATS_TLS_CERT_FILE: z.string().optional(),
  NATS_TLS_KEY_FILE: z.string().optional(),
  NATS_INBOX_PREFIX: z.string().optional().describe('absent: _INBOX and the user'),
  MILLRACE_PREFIX: prefixSchema.default(DEFAULT_PREFIX),
  LOG_LEVEL: z.enum(['trace', 'debug', 'info', 'warn', 'error', 'silent']).default('info'),
  HEALTH_PORT: z.coerce
    .number()
    .int()
    .min(0)
    .max(65_535)
    .optional()
    .describe('0: picked by the system; absent: no health server'),
  HEALTH_HOST: z.string().default('127.0.0.1'),
  DRAIN_GRACE_MS: z.coerce.number().int().min(0).default(10_000),
});
export type BaseConfig = z.infer<typeof baseConfigSchema>;

type ConfigEnv = Record<string, string | undefined>;

/** Reads the common variables and those of `schema`. @throws config-invalid with the problems of both */
export function readServiceConfig<S extends z.ZodType<object>>(schema: S, env: ConfigEnv): z.output<S> & BaseConfig {
  const base = parse(baseConfigSchema, env);
  const own = parse(schema, env);
  if ('ok' in base && 'ok' in own) return { ...base.ok, ...own.ok };
  throw createConfigError([...('issues' in base ? base.issues : []), ...('issues' in own ? own.issues : [])]);
}

/** @throws config-invalid */
export function readConfig<S extends z.ZodType>(schema: S, env: ConfigEnv): z.output<S> {
  const config = parse(schema, env);
  if ('ok' in config) return config.ok;
  throw createConfigError(config.issues);
}

/** An empty variable counts as absent: compose files pass `X=${X:-}`. */
function parse<S extends z.ZodType>(schema: S, env: ConfigEnv): { ok: z.output<S> } | { issues: Issue[] } {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(present);
  return parsed.success ? { ok: parsed.data } : { issues: listIssues(parsed.error, 'config-invalid') };
}

function createConfigError(issues: Issue[]): MillraceError {
  const lines = issues.map((issue) => `${issue.path}: ${issue.message}`);
  return new MillraceError('config-invalid', `The environment is wrong. ${lines.join('; ')}`, {
    issues,
    remedy: 'Set the variables named here; docs/configuration.md lists them.',
  });
}
