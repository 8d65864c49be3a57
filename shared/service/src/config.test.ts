import { MillraceError } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readConfig, readServiceConfig } from './config.ts';

const schema = z.object({ REDIS_URL: z.url(), SIZE: z.coerce.number().int().default(3) });
const thrownBy = (read: () => unknown): MillraceError => {
  try {
    read();
  } catch (error) {
    if (MillraceError.isInstance(error)) return error;
  }
  throw new Error('it should have been refused');
};

test("The common variables and the service's own variables form one configuration with defaults", () => {
  expect(readServiceConfig(schema, { REDIS_URL: 'redis://localhost' })).toMatchObject({
    REDIS_URL: 'redis://localhost',
    SIZE: 3,
    MILLRACE_PREFIX: 'mr.v1',
    LOG_LEVEL: 'info',
  });
});

test("All problems of the common and the service's own variables are reported together, each with its variable", () => {
  const error = thrownBy(() => readServiceConfig(schema, { SIZE: 'large', LOG_LEVEL: 'loud', HEALTH_PORT: '99999' }));
  expect(error.code).toBe('config-invalid');
  expect(error.issues?.map(({ path }) => path)).toEqual(['LOG_LEVEL', 'HEALTH_PORT', 'REDIS_URL', 'SIZE']);
  for (const variable of ['LOG_LEVEL', 'HEALTH_PORT', 'REDIS_URL', 'SIZE'])
    expect(error.message).toContain(`${variable}: `);
  expect(error.remedy).toContain('docs/configuration.md');
});

describe('an empty variable counts as absent', () => {
  test('so that its default holds', () => {
    expect(readConfig(schema, { REDIS_URL: 'redis://localhost', SIZE: '' }).SIZE).toBe(3);
  });

  test('A misspelled variable without a default is reported as missing', () => {
    expect(thrownBy(() => readConfig(schema, { REDIS_URL: '' })).issues?.map(({ path }) => path)).toEqual([
      'REDIS_URL',
    ]);
  });
});

test('a prefix that would not be a subject is refused', () => {
  for (const prefix of ['a..b', '.a', 'a.', 'a b', '*', '>']) {
    expect(thrownBy(() => readServiceConfig(z.object({}), { MILLRACE_PREFIX: prefix })).message).toMatch(
      /MILLRACE_PREFIX: must be letters.*such as mr\.v1/,
    );
  }
});
