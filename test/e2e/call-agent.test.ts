// The program of the README that calls an agent runs, and the README shows it unchanged.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { useSharedStack } from '@millrace/testkit';
import { expect, test } from 'vitest';
import { root, runCommand } from './run-command.ts';

const stack = useSharedStack();
const program = join(root, 'test/e2e/call-agent.ts');

test('The README shows the program that calls an agent', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8');
  expect(readme).toContain(`\`\`\`ts\n${readFileSync(program, 'utf8')}\`\`\``);
});

test('The program of the README streams the answer of an agent and prints the status', async () => {
  await stack.client.agents.apply({ name: 'demo', model: 'openai/gpt-5-mini', tools: ['calculator'] });
  const { code, stdout, stderr } = await runCommand(process.execPath, [program], { env: { NATS_URL: stack.url } });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/391[^]*\nfinished\n$/);
});
