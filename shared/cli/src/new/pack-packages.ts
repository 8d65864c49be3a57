// Builds and packs the packages that a processor depends on: JavaScript with types, as tarballs for npm.
import { cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MillraceError } from '@millrace/contracts';
import { z } from 'zod';
import { runProgram } from './run-program.ts';

/** In dependency order. */
const PACKED = ['contracts', 'bus', 'service', 'processor'] as const;
const manifestSchema = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  dependencies: z.record(z.string(), z.string()),
});

/** @returns the file names of the tarballs by package */
export async function packPackages(
  checkout: string,
  into: string,
  catalog: Readonly<Record<string, string>>,
  env: NodeJS.ProcessEnv,
): Promise<Record<string, string>> {
  const built = await mkdtemp(join(tmpdir(), 'millrace-build-'));
  try {
    await build(checkout, built, env);
    const packed: Record<string, string> = {};
    for (const short of PACKED) {
      const dir = join(built, short);
      const manifest = await buildManifest(join(checkout, 'shared', short), catalog);
      await mkdir(dir, { recursive: true });
      await writeFile(join(dir, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
      await cp(join(checkout, 'LICENSE'), join(dir, 'LICENSE'));
      const told = await runProgram('npm', ['pack', '--json', '--pack-destination', into], dir, env);
      const { filename, entryCount } = packListSchema.parse(JSON.parse(told));
      const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
      if (entryCount !== files.length)
        throw new MillraceError('internal', `${entryCount} of ${files.length} files of ${manifest.name} were packed.`);
      packed[manifest.name] = filename;
    }
    return packed;
  } finally {
    await rm(built, { recursive: true, force: true });
  }
}

/** npm prints a list, or an object by package, depending on its version. */
const packedSchema = z.object({ filename: z.string(), entryCount: z.number() });
const packListSchema = z
  .union([z.array(packedSchema), z.record(z.string(), packedSchema)])
  .transform((packed) => Object.values(packed)[0] ?? { filename: '', entryCount: 0 });

async function build(checkout: string, outDir: string, env: NodeJS.ProcessEnv): Promise<void> {
  const shared = join(checkout, 'shared');
  const config = {
    extends: join(checkout, 'tsconfig.base.json'),
    compilerOptions: {
      noEmit: false,
      declaration: true,
      rewriteRelativeImportExtensions: true,
      outDir,
      rootDir: shared,
      typeRoots: [join(checkout, 'node_modules/@types')],
    },
    files: PACKED.map((short) => join(shared, short, 'src/mod.ts')),
  };
  const file = join(outDir, 'tsconfig.json');
  await writeFile(file, JSON.stringify(config));
  await runProgram(process.execPath, [join(checkout, 'node_modules/typescript/bin/tsc'), '-p', file], checkout, env);
}

/** Replaces pnpm's catalog and workspace references by versions for npm. */
async function buildManifest(dir: string, catalog: Readonly<Record<string, string>>) {
  const { name, version, license, dependencies } = manifestSchema.parse(
    JSON.parse(await readFile(join(dir, 'package.json'), 'utf8')),
  );
  const named = Object.entries(dependencies).map(([dependency, range]) => {
    if (range.startsWith('workspace:')) return [dependency, version];
    return [dependency, range === 'catalog:' ? (catalog[dependency] ?? '*') : range];
  });
  return {
    name,
    version,
    license,
    type: 'module',
    files: ['src'],
    exports: { '.': { types: './src/mod.d.ts', default: './src/mod.js' } },
    dependencies: Object.fromEntries(named),
  };
}
