// Tests the order of the sources of a server with stand-ins: without network and installed programs.
import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { expect, test } from 'vitest';
import { findNats, findQdrant, findRedis } from './find-program.ts';
import { scratchDir } from '../testing/scratch-dir.ts';
import { writeProgram, writeVersionProgram } from '../testing/fake-program.ts';
import { serveReleases } from '../testing/release-server.ts';

// Answers 404 to everything.
const nothingPublished = () => serveReleases(new Map());

test.each([
  ['NATS_URL', findNats, 'nats://bus.example:4222'],
  ['REDIS_URL', findRedis, 'rediss://cache.example'],
  ['QDRANT_URL', findQdrant, 'http://vectors.example:6333'],
])('An address in %s has the highest priority', async (variable, find, url) => {
  const dir = await scratchDir();
  await writeVersionProgram(join(dir, 'nats-server'), 'nats-server: v9.0.0');
  const found = await find({ env: { PATH: dir, [variable]: url }, cacheDir: dir });
  expect(found).toEqual({ kind: 'external', url, source: variable });
});

test('An empty address is ignored', async () => {
  const dir = await scratchDir();
  const path = await writeVersionProgram(join(dir, 'nats-server'), 'nats-server: v2.12.0');
  expect(await findNats({ env: { PATH: dir, NATS_URL: '' }, cacheDir: dir })).toMatchObject({ kind: 'program', path });
});

test('The first recent program on the PATH is used, after old and broken ones', async () => {
  const dir = await scratchDir();
  await writeVersionProgram(join(dir, 'old/nats-server'), 'nats-server: v2.11.12');
  await writeProgram(join(dir, 'broken/nats-server'), 'echo cannot run >&2; exit 3');
  await mkdir(join(dir, 'directory/nats-server'), { recursive: true });
  await mkdir(join(dir, 'plain'));
  await writeFile(join(dir, 'plain/nats-server'), 'not executable');
  const path = await writeVersionProgram(join(dir, 'new/nats-server'), 'nats-server: v2.12.0');
  await writeVersionProgram(join(dir, 'newer/nats-server'), 'nats-server: v2.15.1');
  const PATH = ['missing', 'old', 'broken', 'directory', 'plain', 'new', 'newer'].map((name) => join(dir, name));
  const found = await findNats({ env: { PATH: ['', '.', ...PATH].join(delimiter) }, cacheDir: join(dir, 'cache') });
  expect(found).toEqual({ kind: 'program', path, version: '2.12.0', source: 'PATH', libraryDirs: [] });
});

test('A pre-release of the oldest version is too old', async () => {
  const dir = await scratchDir();
  const { url } = await nothingPublished();
  await writeVersionProgram(join(dir, 'nats-server'), 'nats-server: v2.12.0-RC.1');
  const found = await findNats({ env: { PATH: dir }, cacheDir: join(dir, 'cache'), releasesUrl: url });
  expect(found).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('2.12.0-RC.1, older than') });
});

test('The reason lists every source in one sentence', async () => {
  const dir = await scratchDir();
  const { url } = await nothingPublished();
  await writeVersionProgram(join(dir, 'bin/nats-server'), 'nats-server: v1.0.0');
  await writeProgram(join(dir, 'broken/nats-server'), 'echo "libssl.so.9 is missing" >&2; exit 127');
  const PATH = [join(dir, 'bin'), join(dir, 'broken')].join(delimiter);
  const found = await findNats({ env: { PATH }, cacheDir: join(dir, 'cache'), releasesUrl: `${url}/` });
  if (found.kind !== 'unavailable') throw new Error(`found ${found.kind}`);
  expect(found.reason).toContain('is 1.0.0, older than the 2.12.0 that is needed');
  expect(found.reason).toContain('exit code 127: libssl.so.9 is missing');
  expect(found.reason).toMatch(/tar.gz answered 404|no release is pinned/);
  expect(found.reason).toMatch(/not a Debian machine|apt-get is not on the PATH/);
  expect(found.reason.split('\n')).toHaveLength(1);
});

test('Without Redis, the reason is a value', async () => {
  const dir = await scratchDir();
  const found = await findRedis({ env: { PATH: dir }, cacheDir: dir });
  expect(found).toMatchObject({ kind: 'unavailable', reason: expect.stringContaining('publishes no binaries') });
});

test('The newest cached program is used again, only on its own platform', async () => {
  const dir = await scratchDir();
  const keep = async (name: string, platform: string) => {
    const directory = join(dir, 'redis-server', name);
    await writeVersionProgram(join(directory, 'bin/redis-server'), `Redis server v=${name.split('-')[0]} sha=0`);
    const manifest = { program: 'bin/redis-server', source: 'test', libraryDirs: [], platform, arch: process.arch };
    await writeFile(join(directory, 'manifest.json'), JSON.stringify(manifest));
    return join(directory, 'bin/redis-server');
  };
  await keep('6.2.9-a', process.platform);
  const newest = await keep('6.2.14-a', process.platform);
  await keep('7.0.0-a', 'plan9');
  await mkdir(join(dir, 'redis-server/8.0.0-unfinished'), { recursive: true });
  await mkdir(join(dir, 'redis-server/.staging-x'), { recursive: true });
  const found = await findRedis({ env: { PATH: '' }, cacheDir: dir });
  expect(found).toMatchObject({ kind: 'program', path: newest, version: '6.2.14', source: 'test' });
});

test('A cancelled search stops', async () => {
  const dir = await scratchDir();
  await writeProgram(join(dir, 'nats-server'), 'exec sleep 60');
  const signal = AbortSignal.timeout(100);
  await expect(findNats({ env: { PATH: `${dir}:/bin:/usr/bin` }, cacheDir: dir, signal })).rejects.toThrow('timeout');
});
