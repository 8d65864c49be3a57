// Selects a service's environment from that of `npm start`: the variables of its configuration, and those that any
// program needs. All others, keys above all, are withheld from processes that do not use them. Pure.
import type { StackEnvironment } from './backing-servers.ts';

/** To run at all, to find certificates, to write the time. */
const SYSTEM = [
  'PATH',
  'HOME',
  'USERPROFILE',
  'SystemRoot',
  'TMPDIR',
  'TEMP',
  'TMP',
  'LANG',
  'LC_ALL',
  'TZ',
  'NODE_OPTIONS',
  'NODE_EXTRA_CA_CERTS',
] as const;

/** A proxy's address may contain a password: only services with outside connections receive it. */
export const PROXY = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  'NODE_USE_ENV_PROXY',
] as const;

/** The members of `env` that are named, and those of the system. */
export function pickVariables(env: StackEnvironment, names: readonly string[]): StackEnvironment {
  const allowed = [...SYSTEM, ...names];
  return Object.fromEntries(allowed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
