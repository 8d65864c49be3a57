import { expect, test } from 'vitest';
import { buildChildEnvironment, chooseCacheDir } from './host.ts';

test('the cache follows XDG_CACHE_HOME, else HOME', () => {
  expect(chooseCacheDir({ XDG_CACHE_HOME: '/var/tmp/cache', HOME: '/home/ada' })).toBe('/var/tmp/cache/millrace');
  expect(chooseCacheDir({ HOME: '/home/ada' })).toBe('/home/ada/.cache/millrace');
  expect(chooseCacheDir({ XDG_CACHE_HOME: 'relative', HOME: '/home/ada' })).toBe('/home/ada/.cache/millrace');
});

test('a server sees no keys of ours', () => {
  const env = buildChildEnvironment({ PATH: '/bin', HOME: '/home/ada', OPENAI_API_KEY: 'secret' }, ['/a', '/b']);
  expect(env).toEqual({ PATH: '/bin', HOME: '/home/ada', LC_ALL: 'C', LD_LIBRARY_PATH: '/a:/b' });
});

test("a server receives the settings of Go's garbage collection", () => {
  expect(buildChildEnvironment({ GOGC: '400', GOMEMLIMIT: '64MiB', GOFLAGS: '-race' })).toEqual({
    LC_ALL: 'C',
    GOGC: '400',
    GOMEMLIMIT: '64MiB',
  });
});
