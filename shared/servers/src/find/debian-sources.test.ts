import { expect, test } from 'vitest';
import { findBaseSource, selectDebianSources, formatDeb822, parseDeb822File, parseListFile } from './debian-sources.ts';

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';

test('reads the deb822 form: several stanzas, comments inside them, lower-case fields', () => {
  const sources = parseDeb822File(`# Debian
Types: deb deb-src
# a snapshot could stand here
URIs: http://mirror.example/debian
suites: bookworm bookworm-updates
Components: main contrib
Signed-By: ${KEYRING}

Types: deb
URIs: http://mirror.example/debian-security http://other.example/debian-security
Suites: bookworm-security
Components: main
`);
  expect(sources).toEqual([
    {
      uri: 'http://mirror.example/debian',
      suites: ['bookworm', 'bookworm-updates'],
      components: ['main', 'contrib'],
      trust: { 'Signed-By': KEYRING },
    },
    ...['mirror', 'other'].map((name) => ({
      uri: `http://${name}.example/debian-security`,
      suites: ['bookworm-security'],
      components: ['main'],
      trust: {},
    })),
  ]);
});

test('leaves out disabled stanzas and those for sources only', () => {
  expect(parseDeb822File('Types: deb\nEnabled: no\nURIs: http://a/debian\nSuites: sid\nComponents: main\n')).toEqual(
    [],
  );
  expect(parseDeb822File('Types: deb-src\nURIs: http://a/debian\nSuites: sid\nComponents: main\n')).toEqual([]);
});

test('keeps a key that is written out, line by line', () => {
  const key = '\n -----BEGIN PGP PUBLIC KEY BLOCK-----\n .\n mQINBGPL0BUBEADm\n -----END PGP PUBLIC KEY BLOCK-----';
  const text = `Types: deb\nURIs: http://a/debian\nSuites: sid\nComponents: main\nSigned-By:${key}\n`;
  const sources = parseDeb822File(text);
  expect(sources[0]?.trust['Signed-By']).toBe(key);
  expect(parseDeb822File(formatDeb822(sources))).toEqual(sources);
});

test('reads the one-line form: options, comments, disabled and source lines', () => {
  const sources = parseListFile(`
deb [arch=amd64 signed-by=${KEYRING} check-valid-until=no] http://mirror.example/debian bookworm main contrib # base
deb http://mirror.example/debian-security bookworm-security main
# deb http://mirror.example/debian sid main
deb-src http://mirror.example/debian bookworm main
`);
  expect(sources).toEqual([
    {
      uri: 'http://mirror.example/debian',
      suites: ['bookworm'],
      components: ['main', 'contrib'],
      trust: { 'Signed-By': KEYRING, 'Check-Valid-Until': 'no' },
    },
    { uri: 'http://mirror.example/debian-security', suites: ['bookworm-security'], components: ['main'], trust: {} },
  ]);
});

test('selectDebianSources returns Debian’s own archive, not third-party archives for Debian', () => {
  const sources = parseListFile(`
deb https://packages.example.com/debian/12/prod bookworm main
deb [signed-by=/usr/share/keyrings/docker.gpg] https://download.docker.com/linux/debian bookworm stable
deb https://apt.postgresql.org/pub/repos/apt bookworm-pgdg main
deb http://archive.example/debian-security bookworm-security main
deb [signed-by=${KEYRING}] http://mirror.example/anything bookworm main
`);
  expect(selectDebianSources(sources).map((source) => source.uri)).toEqual([
    'http://mirror.example/anything',
    'http://archive.example/debian-security',
  ]);
  expect(findBaseSource(sources)?.uri).toBe('http://mirror.example/anything');
});

test('findBaseSource returns no release if only updates are listed', () => {
  expect(
    findBaseSource(parseListFile('deb http://archive.example/debian-security bookworm-security main')),
  ).toBeUndefined();
});
