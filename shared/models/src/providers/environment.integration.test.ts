// Each variable of a provider may be empty, as compose passes it, or wrong: the clients load, and the configuration decides.
import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { providerEnvironmentSchema } from './provider-config.ts';

const variables = Object.keys(providerEnvironmentSchema.in.shape);

test.each(variables.flatMap((name) => ['', 'no url'].map((value) => ({ name, value }))))(
  'The clients of providers load if $name is "$value", and leave the variable as it is',
  ({ name, value }) => {
    const code = `await import(${JSON.stringify(import.meta.resolve('../mod.ts'))}); process.stdout.write(process.env.${name});`;
    const loaded = execFileSync(process.execPath, ['--input-type=module', '--eval', code], {
      env: { PATH: process.env['PATH'], [name]: value },
      encoding: 'utf8',
    });
    expect(loaded).toBe(value);
  },
);
