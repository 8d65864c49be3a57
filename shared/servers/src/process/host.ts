// Reads the machine's properties: environment, platform, architecture, home directory. All other modules receive a
// Host, so that a test can describe another machine.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

export type ServerHost = {
  env: Environment;
  /** As Node spells it: linux, darwin, win32. */
  platform: NodeJS.Platform;
  /** As Node spells it: x64, arm64. */
  arch: string;
  /** Directory of the machine's apt configuration. */
  aptDir: string;
  /** File that names the distribution (os-release(5)). */
  osReleaseFile: string;
};

/** The machine that this process runs on, with its own environment or the one given. */
export function describeCurrentHost(env: Environment = process.env): ServerHost {
  return {
    env,
    platform: process.platform,
    arch: process.arch,
    aptDir: '/etc/apt',
    osReleaseFile: '/etc/os-release',
  };
}

/**
 * Returns the directory of fetched programs: `$XDG_CACHE_HOME/millrace`, or `~/.cache/millrace`. Ignores a relative
 * XDG_CACHE_HOME, as the XDG Base Directory Specification requires.
 */
export function chooseCacheDir(env: Environment = process.env): string {
  const cacheHome = env['XDG_CACHE_HOME'];
  if (cacheHome !== undefined && isAbsolute(cacheHome)) return join(cacheHome, 'millrace');
  return join(env['HOME'] || homedir(), '.cache', 'millrace');
}

/** GOGC and GOMEMLIMIT set the garbage collection of nats-server. */
const PASSED_VARIABLES = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot', 'GOGC', 'GOMEMLIMIT'];

/** Returns the environment of a started server: enough to run, without the caller's keys and tokens. */
export function buildChildEnvironment(env: Environment, libraryDirs: readonly string[] = []): NodeJS.ProcessEnv {
  const child: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of PASSED_VARIABLES) {
    const value = env[name];
    if (value !== undefined) child[name] = value;
  }
  if (libraryDirs.length > 0) child['LD_LIBRARY_PATH'] = libraryDirs.join(':');
  return child;
}
