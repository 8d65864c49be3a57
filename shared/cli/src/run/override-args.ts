// Parses the processor lists that replace an agent's lists for one run: comma-separated names, or a JSON array.
import { listIssues, runRequestSchema } from '@millrace/contracts';
import type { StartOptions } from '@millrace/client';
import { UsageError } from '../command/usage-error.ts';

const list = (of: string) =>
  ({
    type: 'string',
    description: `replaces the replaceable entries of the agent's ${of} list: names (pii,secrets), or a JSON array; [] for none`,
  }) as const;

export const overrideArgs = {
  'input-processors': list('input'),
  'output-processors': list('output'),
  'error-processors': list('error'),
  'max-processor-retries': { type: 'string', description: "maximum retries by processors; at most the agent's" },
} as const;

const FIELDS = {
  'input-processors': 'inputProcessors',
  'output-processors': 'outputProcessors',
  'error-processors': 'errorProcessors',
  'max-processor-retries': 'maxProcessorRetries',
} as const;
type OverrideName = keyof typeof FIELDS;
type Overrides = Pick<StartOptions, (typeof FIELDS)[OverrideName]>;

const schema = runRequestSchema.pick({
  inputProcessors: true,
  outputProcessors: true,
  errorProcessors: true,
  maxProcessorRetries: true,
});

/** @throws UsageError with the option and the position in it */
export function parseOverrides(given: { [name in OverrideName]?: string | undefined }, command: string): Overrides {
  const lists = (['input-processors', 'output-processors', 'error-processors'] as const).flatMap((name) => {
    const text = given[name];
    return text === undefined ? [] : [[FIELDS[name], parseList(text, name, command)] as const];
  });
  const retries = given['max-processor-retries'];
  const count = retries === undefined ? {} : { maxProcessorRetries: parseCount(retries, command) };
  const parsed = schema.safeParse({ ...Object.fromEntries(lists), ...count });
  if (parsed.success) return parsed.data;
  const problems = listIssues(parsed.error).map(({ path = '', message }) => `${asTyped(path)} ${message}`);
  throw new UsageError(problems.join('; '), command);
}

/** Never treats text that may be JSON as a name. */
function parseList(text: string, name: OverrideName, command: string): unknown[] {
  const forms = `--${name} takes comma-separated names (pii,secrets), or a JSON array`;
  if (!/^\s*[[{"]/.test(text)) return text.split(',').map((one) => one.trim());
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch (error) {
    throw new UsageError(`${forms}: ${error instanceof Error ? error.message : 'this is no JSON'}`, command);
  }
  throw new UsageError(forms, command);
}

function parseCount(text: string, command: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  throw new UsageError(`--max-processor-retries takes a whole number, not "${text}"`, command);
}

/** Converts `inputProcessors[0].use` to the argument and the path: [0].use of --input-processors. */
function asTyped(path: string): string {
  const name = Object.entries(FIELDS).find(([, field]) => path.startsWith(field));
  return name ? `--${name[0]}${path.slice(name[1].length)}` : path;
}
