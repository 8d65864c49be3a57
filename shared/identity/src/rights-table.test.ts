import { AGENT_READERS, publicAgentSchema } from '@millrace/contracts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeRightsTable } from './rights-table.ts';

const page = readFileSync(join(import.meta.dirname, '../../../docs/security.md'), 'utf8');

test('docs/security.md has the table of rights by which the services answer end clients', () => {
  const [, table = ''] = /<!-- rights -->\n+([\s\S]*?)\n+<!-- end of rights -->/.exec(page) ?? [];
  expect(table).toBe(writeRightsTable());
});

test('The public part of an agent has the members that its table of readers gives to everyone', () => {
  const everyone = Object.entries(AGENT_READERS).flatMap(([name, reader]) => (reader === 'everyone' ? [name] : []));
  expect(Object.keys(publicAgentSchema.shape.agent.shape).toSorted()).toEqual(everyone.toSorted());
});
