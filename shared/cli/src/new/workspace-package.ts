// A new service of this workspace: its files, and what the workspace has to know of it (import table, local stack, pages, lockfile).
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { MillraceError } from '@millrace/contracts';
import { runProgram } from './run-program.ts';
import { agentFile, testFile, typescriptFiles, type Kind } from './scaffold.ts';
import { writeNew } from './write-new.ts';

/** Who may import whom: the row after which the new one stands is that of the service that is most like it. */
export const IMPORT_TABLE = 'test/architecture/import-table.ts';
/** What `npm start` starts. */
const SERVICE_TABLE = 'deploy/dev/src/service-table.ts';

const LOCKFILE = 'pnpm-lock.yaml';

/** Where it cannot be done, the workspace is as it was but for the folder. @param id of an empty folder of services. @returns that, from the checkout */
export async function addToWorkspace(
  checkout: string,
  kind: Kind,
  id: string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  const folder = `services/${id}`;
  const importRow = insertAfter(
    await read(checkout, IMPORT_TABLE),
    /^ {2}tools: .*\n/m,
    `  ${keyOf(id)}: ofProcessorServices,\n`,
  );
  const serviceRow = insertAfter(
    await read(checkout, SERVICE_TABLE),
    /^ {2}\{ name: 'tools', .*\n/m,
    `  { name: '${id}', reads: BUS },\n`,
  );
  const dir = join(checkout, folder);
  const src = [...typescriptFiles(kind, id), testFile(kind, id)].map(({ name, text }) => ({
    name: `src/${name}`,
    text,
  }));
  await mkdir(join(dir, 'src'), { recursive: true });
  const about = {
    name: 'DESIGN.md',
    text: `# ${id}

One ${kind}. Write here what was decided, what it guarantees, and what is deliberately not in it.
`,
  };
  for (const { name, text } of [{ name: 'package.json', text: manifest(kind, id) }, about, agentFile(kind, id), ...src])
    await writeNew(join(dir, name), text);
  await orAsBefore(checkout, [IMPORT_TABLE, SERVICE_TABLE, LOCKFILE], async () => {
    await writeFile(join(checkout, IMPORT_TABLE), importRow);
    await writeFile(join(checkout, SERVICE_TABLE), serviceRow);
    const { scripts } = JSON.parse(await read(checkout, 'package.json'));
    // The pinned pnpm, as the workspace's own install names it.
    const pnpm = /pnpm@[0-9.]+/.exec(String(scripts['install:workspace']))?.[0] ?? 'pnpm';
    await runProgram('npx', ['--yes', pnpm, 'install', '--no-frozen-lockfile', '--prefer-offline'], checkout, env);
    if (kind === 'processor') await runProgram(process.execPath, ['test/processor-pages/main.ts'], checkout, env);
  });
  return folder;
}

/** What `change` throws is thrown on when the files are what they were. */
export async function orAsBefore(
  checkout: string,
  files: readonly string[],
  change: () => Promise<void>,
): Promise<void> {
  const before = await Promise.all(files.map(async (file) => ({ file, text: await read(checkout, file) })));
  try {
    await change();
  } catch (error) {
    for (const { file, text } of before) await writeFile(join(checkout, file), text);
    throw error;
  }
}

function manifest(kind: Kind, id: string): string {
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

const keyOf = (id: string): string => (/^[A-Za-z_][A-Za-z0-9_]*$/.test(id) ? id : `'${id}'`);
const read = (checkout: string, file: string): Promise<string> => readFile(join(checkout, file), 'utf8');

/** @throws internal where the file is no longer what this was written for */
export function insertAfter(text: string, row: RegExp, line: string): string {
  const found = row.exec(text);
  if (!found) throw new MillraceError('internal', `The row ${String(row)} is not where a new service's row goes.`);
  const at = found.index + found[0].length;
  return text.slice(0, at) + line + text.slice(at);
}
