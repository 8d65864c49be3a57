// npm run build [-- --into DIR] [--only processor,client]: builds the published packages into dist/ and packs them there
// as tarballs. Prints the file of each package as JSON. --only: these packages and those that they depend on.
import { mkdir } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackages } from './build-packages.ts';
import { packPackages } from './pack-packages.ts';
import { PACKAGES, isPackageFolder } from './package-list.ts';
import { withDependencies } from './with-dependencies.ts';

const checkout = resolve(import.meta.dirname, '../../..');
const { values } = parseArgs({ options: { into: { type: 'string' }, only: { type: 'string' } } });
const names = values.only?.split(',') ?? [...PACKAGES];
const unknown = names.filter((name) => !isPackageFolder(name));
if (unknown.length > 0) {
  console.error(`There is no published package "${unknown.join('", "')}". The packages are ${PACKAGES.join(', ')}.`);
  process.exit(1);
}
const into = resolve(values.into ?? 'dist');
await mkdir(into, { recursive: true });
const folders = await withDependencies(checkout, names.filter(isPackageFolder));
const built = await buildPackages(checkout, resolve(into, 'packages'), folders);
console.log(JSON.stringify(await packPackages(built, into), null, 2));
