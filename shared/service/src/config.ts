// A service's configuration: its environment through a schema. All problems are reported at once, each with the variable.
import { MillraceError, issuesOf } from '@millrace/contracts';
import { z } from 'zod';

/** What every service reads. Documented in the README's configuration table. */
export const baseConfigSchema = z.object({
  NATS_URL: z.string().default('nats://localhost:4222'),
  NATS_USER: z.string().optional(),
  NATS_PASSWORD: z.string().optional(),
  MILLRACE_PREFIX: z
    .string()
    .regex(/^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/)
    .default('mr.v1'),
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

/** An empty variable counts as absent: compose files pass `X=${X:-}`. @throws config-invalid */
export function readConfig<S extends z.ZodType>(schema: S, env: Record<string, string | undefined>): z.output<S> {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = schema.safeParse(present);
  if (parsed.success) return parsed.data;
  const issues = issuesOf(parsed.error, 'config-invalid');
  const lines = issues.map((issue) => `${issue.path}: ${issue.message}`);
  throw new MillraceError('config-invalid', `The environment is wrong. ${lines.join('; ')}`, {
    issues,
    remedy: 'Set the variables named here; the README has them in a table.',
  });
}
