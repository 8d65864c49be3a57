// Asks a program for its version, and so whether it runs here at all: a binary for another architecture, or one that lacks a
// library, is found out before it is trusted with a store.
import { createUnavailable, type Program, type Unavailable } from './search-result.ts';
import { buildChildEnvironment, type ServerHost } from '../process/host.ts';
import type { Product } from './product.ts';
import { runCommand } from '../process/run-command.ts';
import { compareVersions, formatVersion, parseVersion } from './version.ts';

/** It takes milliseconds; a machine that is starting everything at once may be a thousand times slower. */
const VERSION_TIMEOUT_MS = 10_000;

export type Candidate = {
  path: string;
  source: string;
  libraryDirs: readonly string[];
};

/** The candidate as a program, or why it does not do. */
export async function probeProgram(
  product: Product,
  candidate: Candidate,
  host: ServerHost,
  signal?: AbortSignal,
): Promise<Program | Unavailable> {
  const { path, source, libraryDirs } = candidate;
  const result = await runCommand(path, ['--version'], {
    env: buildChildEnvironment(host.env, libraryDirs),
    timeoutMs: VERSION_TIMEOUT_MS,
    signal,
  });
  if (!result.ok) return createUnavailable(`${path} --version failed (${result.failure})`);
  const version = parseVersion(result.stdout) ?? parseVersion(result.stderr);
  if (version === undefined) return createUnavailable(`${path} --version names no version`);
  if (compareVersions(version, product.minVersion) < 0) {
    return createUnavailable(
      `${path} is ${formatVersion(version)}, older than the ${formatVersion(product.minVersion)} that is needed`,
    );
  }
  return { kind: 'program', path, version: formatVersion(version), source, libraryDirs };
}
