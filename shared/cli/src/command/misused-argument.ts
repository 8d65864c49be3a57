// Turns a rejection of a typed value into a usage error in terms of the command line: `--timeout` instead of the
// request field that it fills.
import type { MillraceError } from '@millrace/contracts';
import { UsageError } from './usage-error.ts';

/** Request fields by the argument that fills them. */
const FIELDS: Record<string, readonly string[]> = {
  timeout: ['deadlineMs'],
  thread: ['threadId'],
  resource: ['resourceId'],
  run: ['runId'],
  tenant: ['tenant'],
  agent: ['agent'],
  name: ['agent', 'name'],
  limit: ['limit'],
  last: ['last'],
};
const OF_ARGUMENTS: readonly string[] = ['message-invalid', 'run-refused', 'token-invalid'];

type Argument = { type?: string | undefined };
type Arguments = Record<string, Argument>;

/** Returns undefined if the rejection is about anything other than an argument. */
export function explainMisusedArgument(
  error: MillraceError,
  command: string,
  args: Arguments,
  given: Record<string, unknown>,
): UsageError | undefined {
  if (!OF_ARGUMENTS.includes(error.code)) return undefined;
  const names = Object.keys(args).filter((name) => given[name] !== undefined);
  const unfit = names.find(
    (name) => error.code === 'token-invalid' && error.message.startsWith(`"${String(given[name])}"`),
  );
  if (unfit !== undefined)
    return new UsageError(`${formatLabel(unfit, args)} is not an id: ${error.remedy ?? error.message}`, command);
  const issues = error.issues ?? [{ path: error.path, message: error.message }];
  const problems = issues.map(({ path, message }) => {
    const name = names.find((one) => path !== undefined && FIELDS[one]?.includes(path));
    return name === undefined ? undefined : `${formatLabel(name, args)} ${describeExpectation(message, path)}`;
  });
  return problems.includes(undefined) ? undefined : new UsageError(problems.join('; '), command);
}

const formatLabel = (name: string, args: Arguments): string =>
  args[name]?.type === 'positional' ? name.toUpperCase() : `--${name}`;

/** Returns the text after the field in "The submit request does not fit: threadId must be …." */
function describeExpectation(message: string, path = ''): string {
  const at = message.lastIndexOf(` ${path} `);
  return (at < 0 ? message : message.slice(at + path.length + 2)).replace(/\.$/, '');
}
