import { readConfig } from '@millrace/service';
import { describe, expect, it } from 'vitest';
import { configSchema } from './config.ts';

const REDIS_URL = 'redis://redis:6379';
const storeOf = (env: Record<string, string>) => readConfig(configSchema, env).store;

describe('the environment of message-history', () => {
  it('names a Redis, or the embedded store is meant', () => {
    expect(storeOf({ REDIS_URL })).toEqual({ kind: 'redis', url: REDIS_URL });
    expect(storeOf({})).toEqual({ kind: 'sqlite', path: '.millrace/message-history.db' });
    expect(storeOf({ REDIS_URL: '', SQLITE_PATH: 'x.db' })).toEqual({ kind: 'sqlite', path: 'x.db' });
    expect(storeOf({ REDIS_URL, MEMORY_STORE: 'sqlite' })).toMatchObject({ kind: 'sqlite' });
    expect(storeOf({ REDIS_URL, REQUIRE_SHARED_STORE: 'true' })).toMatchObject({ kind: 'redis' });
  });

  it.each([
    ['a store that several share, and none is named', { REQUIRE_SHARED_STORE: 'true' }, 'REDIS_URL'],
    [
      'a store that several share, and not Redis',
      { REDIS_URL, REQUIRE_SHARED_STORE: 'true', MEMORY_STORE: 'sqlite' },
      'MEMORY_STORE',
    ],
    ['Redis, and no address', { MEMORY_STORE: 'redis' }, 'REDIS_URL'],
    ['an address that is none', { REDIS_URL: 'localhost' }, 'REDIS_URL'],
    ['a store that is none', { MEMORY_STORE: 'memcached' }, 'MEMORY_STORE'],
  ])('is refused where it asks for %s', (_what, env, variable) => {
    expect(() => storeOf(env)).toThrow(variable);
    expect(() => storeOf(env)).toThrow(expect.objectContaining({ code: 'config-invalid' }));
  });
});
