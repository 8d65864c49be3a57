// npm run -s quality:documents -- [--fetch] [--half calibrating|counted] [--json FILE] [--options JSON]: measures how many whole
// neutral documents prompt-injection blocks, by size, as a user's text and as a tool result. --fetch downloads the packages first.
// It prints totals only, because the counted half is never read.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { jsonObjectSchema } from '@millrace/contracts';
import { z } from 'zod';
import { createGuards } from '../src/guards.ts';
import { BUCKETS, collectDocuments, type BenchmarkDocument } from './collect-documents.ts';
import { fetchPackages } from './fetch-packages.ts';
import { readLicences, readOwnPages } from './fixed-documents.ts';
import { judgeDocuments, type DocumentJudgement } from './judge-documents.ts';
import { getPackageFolder, readPackageList } from './package-list.ts';
import { renderShare } from './wilson.ts';

const { values } = parseArgs({
  options: {
    fetch: { type: 'boolean', default: false },
    half: { type: 'string', default: 'counted' },
    json: { type: 'string' },
    options: { type: 'string', default: '{}' },
  },
});
/** Maximum number of named pages and licences. */
const MAX_NAMED = 40;

const half = z.enum(['calibrating', 'counted']).parse(values.half);

const packages = readPackageList();
if (values.fetch) await fetchPackages(packages);
const missing = packages.filter((one) => !existsSync(getPackageFolder(one)));
if (missing.length > 0)
  console.error(
    `The cache lacks ${missing.length} of ${packages.length} packages; --fetch downloads those that are still served.`,
  );
const guards = await createGuards(jsonObjectSchema.parse(JSON.parse(values.options)));
const judged = await judgeDocuments(guards, collectDocuments(packages, half));
const pages = await judgeDocuments(guards, readOwnPages());
const licences = await judgeDocuments(guards, readLicences(packages));

type Row = { name: string; of: number; user: number; tool: number };
const countRow = (name: string, some: readonly DocumentJudgement<unknown>[]): Row => ({
  name,
  of: some.length,
  user: some.filter(({ user }) => user).length,
  tool: some.filter(({ tool }) => tool).length,
});
const selectRow = (name: string, isIn: (document: BenchmarkDocument) => boolean): Row =>
  countRow(
    name,
    judged.filter(({ document }) => isIn(document)),
  );
const kinds = [...new Set(judged.map(({ document }) => document.kind))].toSorted();
const rows = [
  ...BUCKETS.map(({ name }) => selectRow(`${name} characters`, ({ bucket }) => bucket === name)),
  ...kinds.map((kind) => selectRow(kind, (document) => document.kind === kind)),
  countRow("this repository's pages", pages),
  countRow('licences', licences),
];
console.log(`${half} half, blocked with the 95 % interval`);
for (const { name, of, user, tool } of rows)
  console.log(`${name}: tool result ${renderShare(tool, of)}; user ${renderShare(user, of)}`);
const blocked = [...pages, ...licences].filter(({ tool }) => tool).map(({ document }) => document.name);
if (blocked.length > 0) console.log(`blocked as a tool result: ${blocked.slice(0, MAX_NAMED).join(', ')}`);
if (values.json !== undefined) await writeFile(values.json, `${JSON.stringify({ half, rows }, null, 2)}\n`);
process.exit();
