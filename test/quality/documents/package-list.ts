// Reads packages.txt, the packages that the documents are taken from. A line has registry, name, version and the SHA-256 of the archive.
// The list contains none of the packages that trained an earlier model of this repository, and the selection looked at no content:
// dependencies of well-known npm and PyPI packages, and documentation packages of Debian by a hash of their names.
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';

const registrySchema = z.enum(['npm', 'pypi', 'debian']);
type Registry = z.output<typeof registrySchema>;
export type PinnedPackage = { registry: Registry; name: string; version: string; sha256: string };

const lineSchema = z.tuple([registrySchema, z.string(), z.string(), z.string().regex(/^[0-9a-f]{64}$/)]);

/** Git ignores this folder. */
export const CACHE = resolve(import.meta.dirname, '../../../.millrace/quality');

/** @throws if a line is not `<registry> <name> <version> <sha256>` */
export function readPackageList(): PinnedPackage[] {
  const lines = readFileSync(resolve(import.meta.dirname, 'packages.txt'), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line, at) => {
    const parsed = lineSchema.safeParse(line.split(' '));
    if (!parsed.success)
      throw new Error(`packages.txt:${at + 1} is not "<registry> <name> <version> <sha256>": ${line}`);
    const [registry, name, version, sha256] = parsed.data;
    return { registry, name, version, sha256 };
  });
}

/** Returns the folder of a package's files in the cache. */
export const getPackageFolder = ({ registry, sha256 }: PinnedPackage): string =>
  resolve(CACHE, 'packages', registry, sha256);
