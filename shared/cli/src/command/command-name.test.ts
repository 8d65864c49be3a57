import { expect, test } from 'vitest';
import { formatCommandLine } from './command-name.ts';

test.each([
  [{ npm_lifecycle_event: 'millrace', npm_command: 'run-script' }, 'npm run -s millrace -- runs list'],
  [{ npm_command: 'exec' }, 'npx --no-install millrace runs list'],
  [{}, 'millrace runs list'],
])('With the environment %j a hint is the command that the reader can paste', (env, line) => {
  expect(formatCommandLine(env, 'runs list')).toBe(line);
});
