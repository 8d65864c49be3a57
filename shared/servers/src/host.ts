// The only file that asks the machine what it is: environment, platform, architecture, home directory. Everything else is
// handed a Host, so that a test can describe another machine.
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';

export type Environment = Readonly<Record<string, string | undefined>>;

export type Host = {
  env: Environment;
  /** As Node spells it: linux, darwin, win32. */
  platform: NodeJS.Platform;
  /** As Node spells it: x64, arm64. */
  arch: string;
  /** Where the machine's apt configuration is. */
  aptDir: string;
  /** The file that says which distribution this is (os-release(5)). */
  osReleaseFile: string;
};

/** The machine that this process runs on, with its own environment or the one given. */
export function currentHost(env: Environment = process.env): Host {
  return {
    env,
    platform: process.platform,
    arch: process.arch,
    aptDir: '/etc/apt',
    osReleaseFile: '/etc/os-release',
  };
}

/**
 * Where fetched programs are kept: `$XDG_CACHE_HOME/millrace`, else `~/.cache/millrace`. A relative XDG_CACHE_HOME is ignored,
 * as the XDG Base Directory Specification asks.
 */
export function defaultCacheDir(env: Environment = process.env): string {
  const cacheHome = env['XDG_CACHE_HOME'];
  if (cacheHome !== undefined && isAbsolute(cacheHome)) return join(cacheHome, 'millrace');
  return join(env['HOME'] || homedir(), '.cache', 'millrace');
}

/** What a server that we start sees of the environment: enough to run, and none of the caller's keys and tokens. */
export function childEnvironment(env: Environment, libraryDirs: readonly string[] = []): NodeJS.ProcessEnv {
  const child: NodeJS.ProcessEnv = { LC_ALL: 'C' };
  for (const name of ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'SystemRoot']) {
    const value = env[name];
    if (value !== undefined) child[name] = value;
  }
  if (libraryDirs.length > 0) child['LD_LIBRARY_PATH'] = libraryDirs.join(':');
  return child;
}
