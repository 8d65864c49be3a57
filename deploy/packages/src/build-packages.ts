// Builds the published packages: JavaScript with declarations, a manifest for npm, the README and the licence.
import { chmod, cp, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ASSETS, PACKAGES, type PackageFolder } from './package-list.ts';
import { createPublicManifest, readVersions, type PublicManifest } from './public-manifest.ts';
import { runProgram } from './run-program.ts';

export type BuiltPackage = { folder: PackageFolder; dir: string; manifest: PublicManifest };
const SHEBANG = '#!/usr/bin/env node\n';

/**
 * Removes `outDir` and fills it with a folder for each package.
 * @throws Error with the output of the compiler if a source cannot be parsed
 */
export async function buildPackages(
  checkout: string,
  outDir: string,
  folders: readonly PackageFolder[] = PACKAGES,
): Promise<BuiltPackage[]> {
  await rm(outDir, { recursive: true, force: true });
  await mkdir(outDir, { recursive: true });
  for (const folder of folders) await compile(checkout, outDir, folder);
  const versions = await readVersions(checkout);
  return Promise.all(
    folders.map(async (folder) => {
      const dir = join(outDir, folder);
      const manifest = await createPublicManifest(checkout, folder, versions);
      await writeFile(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
      const assets = { LICENSE: 'LICENSE', 'README.md': `shared/${folder}/README.md`, ...ASSETS[folder] };
      for (const [target, source] of Object.entries(assets)) {
        await mkdir(dirname(join(dir, target)), { recursive: true });
        await cp(join(checkout, source), join(dir, target));
      }
      if (folder === 'cli') await makeExecutable(join(dir, 'src/main.js'));
      return { folder, dir, manifest };
    }),
  );
}

/**
 * Compiles one package at a time: if a file is a root and is also imported through node_modules, the compiler loads it in
 * either order and emits nothing for the latter.
 */
async function compile(checkout: string, outDir: string, folder: PackageFolder): Promise<void> {
  const shared = join(checkout, 'shared');
  const config = {
    extends: join(checkout, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      // `npm run verify` checks the types.
      noCheck: true,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      outDir,
      rootDir: shared,
      typeRoots: [join(checkout, 'node_modules/@types')],
    },
    files: await listEntries(shared, folder),
  };
  const file = join(outDir, 'tsconfig.json');
  await writeFile(file, JSON.stringify(config));
  await runProgram(process.execPath, [join(checkout, 'node_modules/typescript/bin/tsc'), '-p', file], checkout);
  await rm(file);
}

/** Lists the sources that the package exports, and the program of a command. */
async function listEntries(shared: string, folder: PackageFolder): Promise<string[]> {
  const dir = join(shared, folder);
  const { exports }: { exports: Record<string, string> } = JSON.parse(
    await readFile(join(dir, 'package.json'), 'utf8'),
  );
  const programs = folder === 'cli' ? ['./src/main.ts'] : [];
  return [...Object.values(exports), ...programs].map((file) => join(dir, file));
}

async function makeExecutable(file: string): Promise<void> {
  await writeFile(file, SHEBANG + (await readFile(file, 'utf8')));
  await chmod(file, 0o755);
}
