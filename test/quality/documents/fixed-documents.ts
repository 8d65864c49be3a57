// Documents that must pass as tool results: this repository's pages and the licences of Debian and SPDX.
import { globSync, readdirSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { z } from 'zod';
import { getPackageFolder, type PinnedPackage } from './package-list.ts';

export type NamedDocument = { name: string; text: string };

const REPOSITORY = resolve(import.meta.dirname, '../../..');
const PAGES = ['docs/**/*.md', 'README.md', '{services,shared}/*/DESIGN.md', 'test/quality/README.md'];
const COMMON_LICENCES = '/usr/share/common-licenses';

export const readOwnPages = (): NamedDocument[] =>
  globSync(PAGES, { cwd: REPOSITORY })
    .toSorted()
    .map((name) => ({ name, text: readFileSync(resolve(REPOSITORY, name), 'utf8') }));

const licenceSchema = z.object({ licenseText: z.string().min(1) });

/** @throws if the cache lacks spdx-license-list */
export function readLicences(packages: readonly PinnedPackage[]): NamedDocument[] {
  const spdx = packages.find(({ name }) => name === 'spdx-license-list');
  if (!spdx) throw new Error('packages.txt does not list spdx-license-list.');
  const folder = resolve(getPackageFolder(spdx), 'package/licenses');
  const listed = readdirSync(folder)
    .toSorted()
    .map((name) => ({
      name,
      text: licenceSchema.parse(JSON.parse(readFileSync(resolve(folder, name), 'utf8'))).licenseText,
    }));
  const common = globSync('*', { cwd: COMMON_LICENCES })
    .toSorted()
    .map((name) => ({ name: `Debian ${name}`, text: readFileSync(resolve(COMMON_LICENCES, name), 'utf8') }));
  return [...listed, ...common];
}
