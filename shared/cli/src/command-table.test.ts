import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listCommands } from './command-table.ts';
import { recordedIo } from './testing/recorded-io.ts';

test('Each command of the table has the name that the table lists', async () => {
  const commands = listCommands({ io: recordedIo().io, exit: 'ok' });
  for (const [name, { load }] of Object.entries(commands)) expect((await load()).name).toBe(`millrace ${name}`);
});

/** Returns the packages that a module loads when it is imported: imports of types and dynamic ones load nothing. */
function collectPackages(file: string, seen = new Set<string>()): string[] {
  if (seen.has(file)) return [];
  seen.add(file);
  const text = readFileSync(join(import.meta.dirname, file), 'utf8');
  const imports = [...text.matchAll(/^(?:import|export) (?!type )[^;]*?from '([^']+)';/gm)].flatMap(
    ([, name = '']) => name,
  );
  return imports.flatMap((name) => (name.startsWith('.') ? collectPackages(join(file, '..', name), seen) : name));
}

test('The help and the version load neither the client nor the schemas', () => {
  const packages = collectPackages('main.ts').filter((name) => !name.startsWith('node:'));
  expect(new Set(packages)).toEqual(new Set(['citty', '@millrace/contracts/nearest-name']));
  expect(collectPackages('../../contracts/src/base/nearest-name.ts')).toEqual([]);
});
