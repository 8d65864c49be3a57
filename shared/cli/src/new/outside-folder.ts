// Creates a processor or tool outside of this workspace: a folder that runs without this checkout. Millrace packages
// are tarballs of built JavaScript in it; other dependencies are from the registry, pinned by the folder's lockfile.
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { packPackages } from './pack-packages.ts';
import { runProgram } from './run-program.ts';
import { agentFile, typescriptFiles, type ScaffoldKind } from './scaffold.ts';
import { writeNew } from './write-new.ts';

const catalogSchema = z.object({ catalog: z.record(z.string(), z.string()) });
const rootSchema = z.object({ devDependencies: z.record(z.string(), z.string()) });

/** @param folder absolute path; existing files are never overwritten */
export async function makeOutsideFolder(
  checkout: string,
  folder: string,
  kind: ScaffoldKind,
  id: string,
  env: NodeJS.ProcessEnv,
): Promise<void> {
  const { catalog } = catalogSchema.parse(parse(await readFile(join(checkout, 'pnpm-workspace.yaml'), 'utf8')));
  const { devDependencies } = rootSchema.parse(JSON.parse(await readFile(join(checkout, 'package.json'), 'utf8')));
  await mkdir(join(folder, 'vendor'), { recursive: true });
  const files = [
    ...typescriptFiles(kind, id),
    agentFile(kind, id),
    tsconfig(),
    { name: '.gitignore', text: 'node_modules\n' },
  ];
  for (const { name, text } of files) await writeNew(join(folder, name), text);
  const tarballs = await packPackages(checkout, join(folder, 'vendor'), catalog, env);
  const ours = Object.fromEntries(Object.entries(tarballs).map(([name, file]) => [name, `file:vendor/${file}`]));
  // The manifest has no name: the package is never published, and npm rejects some ids as names.
  const manifest = {
    private: true,
    type: 'module',
    scripts: { start: 'node main.ts', typecheck: 'tsc --noEmit' },
    dependencies: { ...ours, zod: catalog['zod'] },
    devDependencies: {
      '@types/node': catalog['@types/node'],
      node: devDependencies['node'],
      typescript: devDependencies['typescript'],
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

function tsconfig(): { name: string; text: string } {
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
