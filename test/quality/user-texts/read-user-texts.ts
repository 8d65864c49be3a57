// Reads texts that users write to an assistant from corpora that PyPI packages ship: requests, questions, small talk and support mails. The
// packages are pinned, fetched into the cache of test/quality/documents, and never committed. No rule and no weight was chosen on them.
// Licences: inspect-evals MIT, with the data of WritingBench (Apache-2.0), PersistBench (MIT), Mind2Web (CC BY 4.0) and AgentBench
// (Apache-2.0); chatterbot-corpus BSD-3-Clause; mindmeld Apache-2.0.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { getPackageFolder, type PinnedPackage } from '../documents/package-list.ts';

const pin = (name: string, version: string, sha256: string): PinnedPackage => ({
  registry: 'pypi',
  name,
  version,
  sha256,
});
const INSPECT = pin('inspect-evals', '0.26.0', 'b76d15813182807da141a0f06bb6f18a5f82d1f06291ec2633bb84cdf661f8d0');
const CHATTERBOT = pin(
  'chatterbot-corpus',
  '1.3.3',
  '86de5300afb9a80826386339d3bec79c0a72eb0358abb8327e2ecef5ae0ce154',
);
const MINDMELD = pin('mindmeld', '4.6.2', '4955cc12983abdf122aae840b3f007267a0aef7f17b1f5af6e0c072bfa28baf8');
export const USER_TEXT_PACKAGES: readonly PinnedPackage[] = [INSPECT, CHATTERBOT, MINDMELD];

export type UserText = { origin: string; text: string };
type Corpus = { from: PinnedPackage; files: string; read: (content: string, file: string) => UserText[] };

/** Longer texts are documents, which quality:documents measures. UTF-16 code units */
const MAX_TEXT = 8_000;

/** Reads the member of each object of a JSON array or of JSON lines. */
const readMember =
  (origin: string, member: string): Corpus['read'] =>
  (content, file) => {
    const values: unknown[] = file.endsWith('.jsonl')
      ? content
          .split('\n')
          .filter((line) => line.trim() !== '')
          .map((line): unknown => JSON.parse(line))
      : z.array(z.unknown()).parse(JSON.parse(content));
    const schema = z.looseObject({ [member]: z.string() });
    return values.map((value) => ({ origin, text: schema.parse(value)[member] ?? '' }));
  };

const conversationsSchema = z.looseObject({ conversations: z.array(z.unknown()) });
/** The first line of a conversation is the user's. */
const readConversations: Corpus['read'] = (content, file) => {
  const { conversations } = conversationsSchema.parse(parse(content, { logLevel: 'error' }));
  const language = basename(dirname(file));
  return conversations.flatMap((conversation): UserText[] => {
    const first: unknown = Array.isArray(conversation) ? conversation[0] : conversation;
    return typeof first === 'string' ? [{ origin: `chatterbot-corpus, ${language}`, text: first }] : [];
  });
};

/** Reads a query per line: `{text|type|role}` marks an entity. */
const readQueries: Corpus['read'] = (content) =>
  content
    .split('\n')
    .map((line) => ({ origin: 'mindmeld', text: line.replaceAll(/\{([^|{}]*)(?:\|[^{}]*)?\}/g, '$1') }));

const data = 'inspect_evals/';
const CORPORA: readonly Corpus[] = [
  { from: INSPECT, files: `${data}writingbench/benchmark_all.jsonl`, read: readMember('WritingBench', 'query') },
  { from: INSPECT, files: `${data}persistbench/benchmark_samples/*.jsonl`, read: readMember('PersistBench', 'query') },
  {
    from: INSPECT,
    files: `${data}mind2web_sc/data/seeact/sample_labeled_all.json`,
    read: readMember('Mind2Web', 'confirmed_task'),
  },
  {
    from: INSPECT,
    files: `${data}agent_bench/data/agent_bench_os_test.json`,
    read: readMember('AgentBench', 'description'),
  },
  {
    from: INSPECT,
    files: `${data}gdm_stealth/solver/strategic_rule_breaking/tickets.json`,
    read: readMember('support tickets', 'description'),
  },
  { from: CHATTERBOT, files: 'chatterbot_corpus/data/*/*.yml', read: readConversations },
  { from: MINDMELD, files: 'mindmeld/kwik_e_mart/domains/*/*/*.txt', read: readQueries },
];

/** Returns the distinct texts in a fixed order. @throws if the cache lacks a package */
export function readUserTexts(): UserText[] {
  const texts = new Map<string, UserText>();
  for (const { from, files, read } of CORPORA) {
    const folder = getPackageFolder(from);
    if (!existsSync(folder)) throw new Error(`The cache lacks ${from.name}: run with --fetch.`);
    for (const file of globSync(files, { cwd: folder }).toSorted()) {
      for (const { origin, text } of read(readFileSync(join(folder, file), 'utf8'), file)) {
        const trimmed = text.trim();
        if (trimmed !== '' && trimmed.length <= MAX_TEXT && !texts.has(trimmed))
          texts.set(trimmed, { origin, text: trimmed });
      }
    }
  }
  return [...texts.values()];
}
