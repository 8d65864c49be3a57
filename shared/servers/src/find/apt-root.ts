// An apt of our own: own sources, lists and cache in one directory, so that packages of any suite can be downloaded without root,
// without the machine's package lists and without a trace in the machine's own state. Only how to reach and whom to trust is the
// machine's: proxy, credentials, keys.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatDeb822, type AptSource } from './debian-sources.ts';
import { buildChildEnvironment, type ServerHost } from '../process/host.ts';
import { runCommand, type CommandResult } from '../process/run-command.ts';

const UPDATE_TIMEOUT_MS = 180_000;
const DOWNLOAD_TIMEOUT_MS = 300_000;
const SIMULATE_TIMEOUT_MS = 30_000;

export type AptRoot = {
  /** Reads the package lists. Fails when any of them cannot be had. */
  update(): Promise<CommandResult>;
  /** Downloads packages into a directory, checked against the signed lists. */
  download(packages: readonly string[], directory: string): Promise<CommandResult>;
  /** The packages that an installation would add to this machine. */
  findMissing(packages: readonly string[]): Promise<string[]>;
};

export async function createAptRoot(
  directory: string,
  sources: readonly AptSource[],
  host: ServerHost,
  signal: AbortSignal | undefined,
): Promise<AptRoot> {
  for (const part of ['sources', 'parts', 'preferences', 'state/lists/partial', 'cache/archives/partial']) {
    await mkdir(join(directory, part), { recursive: true });
  }
  await writeFile(join(directory, 'sources/debian.sources'), formatDeb822(sources));
  const env = buildChildEnvironment(host.env);
  for (const name of ['http_proxy', 'https_proxy', 'no_proxy', 'HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY']) {
    const value = host.env[name];
    if (value !== undefined) env[name] = value;
  }
  const machine = await runCommand('apt-config', ['dump', '--no-empty', 'Acquire'], {
    env,
    timeoutMs: SIMULATE_TIMEOUT_MS,
    signal,
  });
  const configFile = join(directory, 'apt.conf');
  // The machine's proxy may hold a password.
  await writeFile(configFile, buildConfiguration(directory, host, machine.ok ? machine.stdout : ''), { mode: 0o600 });
  const runAptGet = async (args: readonly string[], timeoutMs: number, cwd = directory): Promise<CommandResult> => {
    const options = { env: { ...env, APT_CONFIG: configFile }, timeoutMs, cwd, signal };
    const result = await runCommand('apt-get', ['-q', ...args], options);
    if (result.ok) return result;
    // The last line reports the failure, an earlier one its cause.
    const cause = /^[EW]: (Failed to fetch .*|The repository .*|Unable to locate .*)$/m.exec(result.stderr)?.[1];
    return cause === undefined ? result : { ...result, failure: cause };
  };

  return {
    update: () => runAptGet(['update'], UPDATE_TIMEOUT_MS),
    download: (packages, into) => runAptGet(['download', ...packages], DOWNLOAD_TIMEOUT_MS, into),
    async findMissing(packages) {
      const simulated = await runAptGet(['-s', 'install', '--no-install-recommends', ...packages], SIMULATE_TIMEOUT_MS);
      if (!simulated.ok) return [];
      // "Inst name [old] (new ...)": a package with an old version is installed already, and sufficient for unpacking.
      return [...simulated.stdout.matchAll(/^Inst (\S+) \(/gm)].map(([, name = '']) => name);
    },
  };
}

function buildConfiguration(directory: string, host: ServerHost, machine: string): string {
  // Index targets and languages of the machine only cost time here.
  const acquire = machine.split('\n').filter((line) => !/^Acquire::(IndexTargets|Languages|GzipIndexes)\b/.test(line));
  return [
    ...acquire,
    `Dir::Etc::sourcelist "/dev/null";`,
    `Dir::Etc::sourceparts "${directory}/sources";`,
    `Dir::Etc::main "/dev/null";`,
    `Dir::Etc::parts "${directory}/parts";`,
    `Dir::Etc::preferences "/dev/null";`,
    `Dir::Etc::preferencesparts "${directory}/preferences";`,
    `Dir::Etc::trusted "${host.aptDir}/trusted.gpg";`,
    `Dir::Etc::trustedparts "${host.aptDir}/trusted.gpg.d";`,
    `Dir::Etc::netrc "${host.aptDir}/auth.conf";`,
    `Dir::Etc::netrcparts "${host.aptDir}/auth.conf.d";`,
    `Dir::State "${directory}/state";`,
    'Dir::State::status "/var/lib/dpkg/status";',
    `Dir::Cache "${directory}/cache";`,
    'Dir::Cache::pkgcache "";',
    'Dir::Cache::srcpkgcache "";',
    'Acquire::Languages "none";',
    'Acquire::GzipIndexes "true";',
    'Acquire::PDiffs "false";',
    // Cost of a mirror that accepts connections without answering: this timeout, twice.
    'Acquire::Retries "0";',
    'Acquire::http::Timeout "10";',
    'Acquire::https::Timeout "10";',
    // A list that could not be had is a failure, not a warning.
    'APT::Update::Error-Mode "any";',
    // As root, apt would switch to a user without permission to write below root's cache.
    'APT::Sandbox::User "root";',
    'Debug::NoLocking "true";',
    '',
  ].join('\n');
}
