// What a service is told of the environment that `npm start` runs in: the variables that its configuration reads, and what any
// program needs. Everything else, a key above all, stays out of processes that have no use for it. Pure.
import type { Environment } from './backing-servers.ts';

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

/** A proxy's address may hold a password: only for those that ask somebody outside. */
export const PROXY = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  'NODE_USE_ENV_PROXY',
] as const;

/** The members of `env` that are named, and those of the system. */
export function environmentOf(env: Environment, names: readonly string[]): Environment {
  const allowed = [...SYSTEM, ...names];
  return Object.fromEntries(allowed.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])));
}
