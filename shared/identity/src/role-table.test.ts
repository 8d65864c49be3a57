import { createSubjects } from '@millrace/contracts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROLES } from './permissions.ts';
import { writeRoleTable } from './role-table.ts';

const readRoot = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

test('docs/security.md has the table of roles from which the permissions are built', () => {
  const [, table = ''] = /<!-- roles -->\n+([\s\S]*?)\n+<!-- end of roles -->/.exec(readRoot('docs/security.md')) ?? [];
  expect(table).toBe(writeRoleTable(createSubjects()));
});

test('The image and the compose file have a folder and a volume for the key of each role', () => {
  const [dockerfile, compose] = [readRoot('deploy/Dockerfile'), readRoot('docker-compose.yml')];
  const [, folders = ''] = /for role in (.*?);/.exec(dockerfile) ?? [];
  const expected = ['nats', 'qdrant', 'redis', ...ROLES.map(({ name }) => name)];
  expect(folders.split(' ').toSorted()).toEqual(expected.toSorted());
  for (const role of expected) expect(compose).toContain(`- keys-${role}:/keys/${role}\n`);
});
