import { expect, test } from 'vitest';
import { compareVersions, formatVersion, parseVersion } from './version.ts';

const order = (a: string, b: string) => {
  const [versionA, versionB] = [parseVersion(a), parseVersion(b)];
  if (versionA === undefined || versionB === undefined) throw new Error('not versions');
  return Math.sign(compareVersions(versionA, versionB));
};

test.each([
  ['nats-server: v2.15.1', '2.15.1'],
  ['nats-server: v2.12.0-RC.2', '2.12.0-RC.2'],
  ['Redis server v=7.0.15 sha=00000000:0 malloc=jemalloc-5.3.0 bits=64 build=2c1e6f6a3a6c3c1a', '7.0.15'],
  ['qdrant 1.15.4', '1.15.4'],
  ['2.9', '2.9.0'],
  ['built with go1.25.3\nnats-server: v2.12.0', '2.12.0'],
])('reads the version of %j', (text, expected) => {
  const version = parseVersion(text);
  expect(version && formatVersion(version)).toBe(expected);
});

test.each(['', 'command not found', 'listening on port 4222', 'commit 2f3a9c1'])('finds no version in %j', (text) => {
  expect(parseVersion(text)).toBeUndefined();
});

test('compares numbers as numbers, not as text', () => {
  expect(order('2.9.25', '2.12.0')).toBe(-1);
  expect(order('10.0.0', '9.9.9')).toBe(1);
  expect(order('2.12.0', '2.12')).toBe(0);
});

test('counts a pre-release as older than its release, and newer than the release before', () => {
  expect(order('2.12.0-RC.2', '2.12.0')).toBe(-1);
  expect(order('2.12.0-RC.2', '2.11.9')).toBe(1);
});
