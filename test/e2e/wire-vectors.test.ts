// The reader in Python applies the vectors of docs/wire.md. Go's does in go-example.test.ts, and the client's in its own package.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root, runCommand } from './run-command.ts';

test('The reader in Python shows the text of each vector', async ({ skip }) => {
  if ((await runCommand('python3', ['--version'])).code !== 0) skip('python3 is not installed');
  const program = join(import.meta.dirname, 'python/check_vectors.py');
  const checked = await runCommand('python3', [program, join(root, 'docs/vectors/reader.json')], {
    env: { PYTHONPATH: join(root, 'examples/python') },
  });
  expect(checked).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+ vectors hold\n$/) });
});
