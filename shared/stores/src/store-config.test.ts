import { readConfig } from '@millrace/service';
import { describe, expect, test } from 'vitest';
import { defineSharedStoreSchema } from './store-config.ts';

const REDIS_URL = 'redis://redis:6379';
const readStore = (env: Record<string, string>) =>
  readConfig(defineSharedStoreSchema('REDIS_URL', 'some-memory'), env).store;

describe('the environment of a memory', () => {
  test('names a server, or the embedded store is meant', () => {
    expect(readStore({ REDIS_URL })).toEqual({ kind: 'shared', url: REDIS_URL });
    expect(readStore({ REDIS_URL, REQUIRE_SHARED_STORE: 'true' })).toEqual({ kind: 'shared', url: REDIS_URL });
    expect(readStore({})).toEqual({ kind: 'sqlite', path: '.millrace/some-memory.db' });
    expect(readStore({ REDIS_URL: '', SQLITE_PATH: 'x.db' })).toEqual({ kind: 'sqlite', path: 'x.db' });
  });

  test('is read of the variable that the service has: Qdrant’s address is no address of Redis', () => {
    const schema = defineSharedStoreSchema('QDRANT_URL', 'some-memory');
    expect(readConfig(schema, { REDIS_URL }).store.kind).toBe('sqlite');
    expect(readConfig(schema, { QDRANT_URL: 'https://q:6333' }).store).toEqual({
      kind: 'shared',
      url: 'https://q:6333',
    });
  });

  test.each([
    ['a store that machines share, and no address', { REQUIRE_SHARED_STORE: 'true' }],
    ['an address that is none', { REDIS_URL: 'localhost' }],
    ['an address of another protocol', { REDIS_URL: 'https://redis' }],
  ])('is refused for %s, and names the variable', (_what, env) => {
    expect(() => readStore(env)).toThrow('REDIS_URL');
    expect(() => readStore(env)).toThrow(expect.objectContaining({ code: 'config-invalid' }));
  });
});
