// Adds a new service to this workspace: its files and its entries in import table, local stack, docs pages and
// lockfile.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MillraceError } from '@millrace/contracts';
import { runProgram } from './run-program.ts';
import { buildAgentFile, buildTestFile, buildTypescriptFiles, type ScaffoldKind } from './scaffold.ts';
import { writeNew } from './write-new.ts';

/** The import table; the new row follows the row of the most similar service. */
const IMPORT_TABLE = 'test/architecture/import-table.ts';
/** The services that `npm start` starts. */
const SERVICE_TABLE = 'deploy/dev/src/service-table.ts';

const LOCKFILE = 'pnpm-lock.yaml';

/**
 * Restores the workspace except for the folder if a step fails. @param id name of an empty folder of services. @returns
 * the path relative to the checkout
 */
export async function addToWorkspace(
  checkout: string,
  kind: ScaffoldKind,
  id: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const folder = `services/${id}`;
  const importRow = insertAfter(
    await readCheckoutFile(checkout, IMPORT_TABLE),
    /^ {2}tools: .*\n/m,
    `  ${toKey(id)}: ofProcessorServices,\n`,
  );
  const serviceRow = insertAfter(
    await readCheckoutFile(checkout, SERVICE_TABLE),
    /^ {2}\{ name: 'tools', .*\n/m,
    `  { name: '${id}', reads: BUS },\n`,
  );
  const dir = join(checkout, folder);
  const src = [...buildTypescriptFiles(kind, id), buildTestFile(kind, id)].map(({ name, text }) => ({
    name: `src/${name}`,
    text,
  }));
  await mkdir(join(dir, 'src'), { recursive: true });
  const about = {
    name: 'DESIGN.md',
    text: `# ${id}

One ${kind}. Describe its design decisions, its guarantees and its limits here.
`,
  };
  for (const { name, text } of [
    { name: 'package.json', text: renderManifest(kind, id) },
    about,
    buildAgentFile(kind, id),
    ...src,
  ])
    await writeNew(join(dir, name), text);
  await restoreOnFailure(checkout, [IMPORT_TABLE, SERVICE_TABLE, LOCKFILE], async () => {
    await writeFile(join(checkout, IMPORT_TABLE), importRow);
    await writeFile(join(checkout, SERVICE_TABLE), serviceRow);
    const { scripts } = JSON.parse(await readCheckoutFile(checkout, 'package.json'));
    // The pnpm version that the workspace's own install script pins.
    const pnpm = /pnpm@[0-9.]+/.exec(String(scripts['install:workspace']))?.[0] ?? 'pnpm';
    await runProgram('npx', ['--yes', pnpm, 'install', '--no-frozen-lockfile', '--prefer-offline'], checkout, env);
    if (kind === 'processor') await runProgram(process.execPath, ['test/processor-pages/main.ts'], checkout, env);
  });
  return folder;
}

/** Restores the files if `change` throws, then rethrows. */
export async function restoreOnFailure(
  checkout: string,
  files: readonly string[],
  change: () => Promise<void>,
): Promise<void> {
  const before = await Promise.all(files.map(async (file) => ({ file, text: await readCheckoutFile(checkout, file) })));
  try {
    await change();
  } catch (error) {
    for (const { file, text } of before) await writeFile(join(checkout, file), text);
    throw error;
  }
}

function renderManifest(kind: ScaffoldKind, id: string): string {
  const value = {
    name: `@millrace/${id}`,
    version: '0.1.0',
    private: true,
    license: 'Apache-2.0',
    type: 'module',
    exports: { '.': './src/main.ts' },
    dependencies: { '@millrace/processor': 'workspace:*', zod: 'catalog:' },
    ...(kind === 'processor' && { devDependencies: { '@millrace/testkit': 'workspace:*' } }),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}

const toKey = (id: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? id : `'${id}'`);
const readCheckoutFile = (checkout: string, file: string): Promise<string> => readFile(join(checkout, file), 'utf8');

/** @throws internal if the file does not have the expected row */
export function insertAfter(text: string, row: RegExp, line: string): string {
  const found = row.exec(text);
  if (!found)
    throw new MillraceError(
      'internal',
      `The file has no row that matches ${String(row)}, so the new service cannot be inserted.`,
    );
  const at = found.index + found[0].length;
  return text.slice(0, at) + line + text.slice(at);
}
