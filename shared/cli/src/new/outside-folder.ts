// Creates a processor or tool outside of this workspace: a folder that runs without a checkout. From a checkout its Millrace
// packages are tarballs of built JavaScript; from the published command they are published, too. The folder's lockfile pins all.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { readPackageVersion, readScaffoldVersions, type Origin } from './origin.ts';
import { runProgram } from './run-program.ts';
import { buildAgentFile, buildTypescriptFiles, type ScaffoldKind } from './scaffold.ts';
import { writeNew } from './write-new.ts';

/** @param folder absolute path; existing files are never overwritten */
export async function makeOutsideFolder(
  origin: Origin,
  folder: string,
  kind: ScaffoldKind,
  id: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const versions = await readScaffoldVersions(origin);
  const files = [
    ...buildTypescriptFiles(kind, id),
    buildAgentFile(kind, id),
    buildTsconfig(),
    { name: '.gitignore', text: 'node_modules\n' },
  ];
  for (const { name, text } of files) await writeNew(join(folder, name), text);
  const ours = origin.kind === 'checkout' ? await packInto(origin.root, folder, env) : await listPublished(origin);
  // The manifest has no name: the package is never published, and npm rejects some ids as names.
  const manifest = {
    private: true,
    type: 'module',
    scripts: { start: 'node main.ts', typecheck: 'tsc --noEmit' },
    dependencies: { ...ours, zod: versions.zod },
    devDependencies: {
      '@types/node': versions['@types/node'],
      node: versions.node,
      typescript: versions.typescript,
    },
  };
  await writeNew(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  await runProgram('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], folder, env);
  // Verifies that the installed package loads before the command reports success.
  await runProgram(
    process.execPath,
    ['--input-type=module', '--eval', "await import('@millrace/processor')"],
    folder,
    env,
  );
}

const packedSchema = z.record(z.string(), z.string());

/** Builds the packages of the checkout into the folder. Returns the dependencies on them. */
async function packInto(checkout: string, folder: string, env: NodeJS.ProcessEnv): Promise<Record<string, string>> {
  const program = join(checkout, 'deploy/packages/src/main.ts');
  const vendor = join(folder, 'vendor');
  const output = await runProgram(process.execPath, [program, '--only', 'processor', '--into', vendor], checkout, env);
  await rm(join(vendor, 'packages'), { recursive: true });
  const packed = Object.entries(packedSchema.parse(JSON.parse(output)));
  return Object.fromEntries(packed.map(([name, file]) => [name, `file:vendor/${file}`]));
}

async function listPublished(origin: Origin): Promise<Record<string, string>> {
  return { '@millrace/processor': await readPackageVersion(origin) };
}

function buildTsconfig(): { name: string; text: string } {
  const compilerOptions = {
    target: 'es2024',
    module: 'nodenext',
    moduleResolution: 'nodenext',
    types: ['node'],
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    erasableSyntaxOnly: true,
    allowImportingTsExtensions: true,
  };
  return { name: 'tsconfig.json', text: `${JSON.stringify({ compilerOptions }, null, 2)}\n` };
}
