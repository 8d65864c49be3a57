// Collects the benchmark's documents: text files of packages as they arrive, in three size buckets and two halves.
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { extname, basename, join } from 'node:path';
import { getPackageFolder, type PinnedPackage } from './package-list.ts';

/** Sizes in characters, `below` exclusive. */
export const BUCKETS = [
  { name: 'under 2,000', from: 200, below: 2_000 },
  { name: '2,000 to 8,000', from: 2_000, below: 8_000 },
  { name: '8,000 to 32,000', from: 8_000, below: 32_000 },
] as const;
type Bucket = (typeof BUCKETS)[number]['name'];
type DocumentKind = keyof typeof EXTENSIONS;
/** `calibrating`: for counting rules and choosing weights. `counted`: for totals only. */
export type DocumentHalf = 'calibrating' | 'counted';
export type BenchmarkDocument = {
  text: string;
  bucket: Bucket;
  kind: DocumentKind;
  package: string;
  half: DocumentHalf;
};

const EXTENSIONS = {
  documentation: ['.md', '.markdown', '.rst', '.txt', '.adoc', '.pod'],
  page: ['.html', '.htm', '.xhtml'],
  source: [
    '.py',
    '.js',
    '.mjs',
    '.cjs',
    '.ts',
    '.c',
    '.h',
    '.cpp',
    '.hpp',
    '.java',
    '.go',
    '.rs',
    '.rb',
    '.pl',
    '.pm',
    '.sh',
    '.tex',
  ],
  data: ['.json', '.yaml', '.yml', '.toml', '.xml', '.csv'],
  mail: ['.eml', '.mbox'],
} as const satisfies Record<string, readonly string[]>;
const KINDS = ['documentation', 'page', 'source', 'data', 'mail'] as const;
const kinds = new Map<string, DocumentKind>(
  KINDS.flatMap((kind) => EXTENSIONS[kind].map((extension) => [extension, kind] as const)),
);
const named = /^(?:readme|licen[cs]e|copying|copyright|changelog|changes|news|authors|install|todo|notice|history)\b/i;
/** Code without line breaks for machines. */
const generated = /\.min\.|\.map$|\.bundle\./;

const MAX_PER_PACKAGE = 20;
const MAX_PER_BUCKET = 1_600;
const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

/** Splits by the name, so that all documents of a package, in all registries and versions, are in one half. */
export const selectDocumentHalf = (name: string): DocumentHalf =>
  Number.parseInt(hash(name).slice(0, 2), 16) % 2 === 0 ? 'calibrating' : 'counted';

/** Returns at most 20 documents per package and 1,600 per bucket and half, chosen by a hash of their texts; none twice. */
export function collectDocuments(packages: readonly PinnedPackage[], half: DocumentHalf): BenchmarkDocument[] {
  const seen = new Set<string>();
  const documents = packages
    .filter(({ name }) => selectDocumentHalf(name) === half)
    .toSorted((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((one) => pickDocuments(listDocuments(one, half), seen));
  return BUCKETS.flatMap(({ name }) =>
    documents
      .filter(({ bucket }) => bucket === name)
      .toSorted((a, b) => (hash(a.text) < hash(b.text) ? -1 : 1))
      .slice(0, MAX_PER_BUCKET),
  );
}

/** Takes documents of each bucket and kind in turn. @param seen hashes of the texts of other packages */
function pickDocuments(documents: readonly BenchmarkDocument[], seen: Set<string>): BenchmarkDocument[] {
  const ranked = documents
    .map((document) => ({ document, rank: hash(document.text) }))
    .filter(({ rank }) => !seen.has(rank) && seen.add(rank))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1));
  const groups = [...Map.groupBy(ranked, ({ document }) => `${document.kind} ${document.bucket}`).values()];
  const picked: BenchmarkDocument[] = [];
  for (let turn = 0; turn < MAX_PER_PACKAGE; turn++) {
    for (const group of groups) {
      const next = group[turn];
      if (next && picked.length < MAX_PER_PACKAGE) picked.push(next.document);
    }
  }
  return picked;
}

function listDocuments(pinned: PinnedPackage, half: DocumentHalf): BenchmarkDocument[] {
  const folder = getPackageFolder(pinned);
  if (!existsSync(folder)) return [];
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).toSorted();
  return paths.flatMap((path) => {
    const kind = readKind(path);
    const text = kind && readText(join(folder, path));
    const bucket = text && BUCKETS.find(({ from, below }) => text.length >= from && text.length < below);
    return bucket ? [{ text, bucket: bucket.name, kind, package: pinned.name, half }] : [];
  });
}

function readKind(path: string): DocumentKind | undefined {
  const name = basename(path);
  if (generated.test(name)) return undefined;
  // Python's test suite contains mails as text files.
  if (/test_email\/data\//.test(path)) return 'mail';
  return (
    kinds.get(extname(name).toLowerCase()) ?? (named.test(name) && extname(name) === '' ? 'documentation' : undefined)
  );
}

/** Returns undefined for a file that is no UTF-8 text, or is too large for every bucket. */
function readText(path: string): string | undefined {
  const facts = statSync(path, { throwIfNoEntry: false });
  if (!facts?.isFile() || facts.size > MAX_BYTES) return undefined;
  const text = readFileSync(path, 'utf8');
  return text.includes('\ufffd') || text.includes('\0') ? undefined : text;
}
const MAX_BYTES = 128_000;
