// The rows contain all variables of the services' configurations: compared with their sources.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SERVICES } from './service-table.ts';

const checkout = join(import.meta.dirname, '../../..');
/** Variables that the stack sets itself, or that apply only to a service on its own. */
const NOT_FROM_THE_CALLER = /^(NATS_URL|REDIS_URL|QDRANT_URL|SQLITE_PATH|HEALTH_\w+|DRAIN_GRACE_MS|PROCESSORS|TOOLS)$/;

/** The members of zod objects that are written as environment variables are. */
function variablesRead(dir: string): string[] {
  const files = globSync(`${dir}/src/**/*.ts`, { cwd: checkout, exclude: ['**/*.test.ts', '**/testing/**'] });
  const text = files.map((file) => readFileSync(join(checkout, file), 'utf8')).join('\n');
  return [
    ...new Set(
      [...text.matchAll(/^\s+([A-Z][A-Z0-9_]{2,}): *(?:z|count|maxBytes|\w+Schema)\s*(?:[.(,]|$)/gm)].map(
        ([, name = '']) => name,
      ),
    ),
  ];
}

test.each(SERVICES.filter(({ store }) => store === 'redis'))(
  'every variable of the connection to Redis is in the row of $name',
  ({ reads }) => {
    const read = variablesRead('shared/stores').filter((name) => name.startsWith('REDIS_') && name !== 'REDIS_URL');
    expect(read).toHaveLength(6);
    expect(read.filter((variable) => !reads.includes(variable))).toEqual([]);
  },
);

test.each(SERVICES)('every variable that $name reads is in its row', ({ name, reads }) => {
  const own = readFileSync(join(checkout, `services/${name}/package.json`), 'utf8');
  const shared = own.includes('@millrace/processor') ? ['shared/service', 'shared/processor'] : ['shared/service'];
  const read = [`services/${name}`, ...shared].flatMap(variablesRead);
  expect(read.length).toBeGreaterThanOrEqual(8);
  const forgotten = read.filter((variable) => !NOT_FROM_THE_CALLER.test(variable) && !reads.includes(variable));
  expect(forgotten).toEqual([]);
});
