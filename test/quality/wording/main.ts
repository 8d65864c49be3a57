// npm run -s quality:wording -- [--fetch] [--train]: trains the wording model of prompt-injection on attacks of open corpora, and measures it
// on attacks of origins that no training text has. --train writes the weights. It prints totals only.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { collectDocuments, type DocumentHalf } from '../documents/collect-documents.ts';
import { fetchPackages } from '../documents/fetch-packages.ts';
import { getPackageFolder, readPackageList } from '../documents/package-list.ts';
import { createGuards } from '../src/guards.ts';
import { readSamples } from '../src/read-samples.ts';
import { selectHalf } from '../src/sample-half.ts';
import { renderShare } from '../documents/wilson.ts';
import { CORPORA, readLeftOutTexts, readTrainingTexts } from './corpora.ts';
import { fitModel, packModel, type WordingExample } from './fit.ts';
import { WEIGHTS_FILE } from './guard-files.ts';
import { createRandom } from './random.ts';
import { withoutKnown } from './shingles.ts';

const SEED = 20_261_123;
/** Code units that the guard reads around its strongest signal. */
const EXCERPT = 2_000;
/** Number of passages of documents. */
const PASSAGES = 4_000;
const SAMPLES = resolve(import.meta.dirname, '../samples');

const { values } = parseArgs({
  options: { fetch: { type: 'boolean', default: false }, train: { type: 'boolean', default: false } },
});
if (values.fetch) await fetchPackages(CORPORA);

const packages = readPackageList().filter((one) => existsSync(getPackageFolder(one)));
const samples = await readSamples(SAMPLES);

/** Returns one passage of each document. */
function readPassages(half: DocumentHalf): string[] {
  const random = createRandom(SEED);
  return collectDocuments(packages, half)
    .slice(0, PASSAGES)
    .map(({ text }) => {
      const from = Math.floor(random.next() * Math.max(1, text.length - EXCERPT));
      return text.slice(from, from + 200 + Math.floor(random.next() * EXCERPT));
    });
}

if (values.train) {
  const examples: WordingExample[] = [
    ...readTrainingTexts(),
    ...selectHalf(samples, 'looked-at').flatMap(({ text, label }) =>
      label === 'benign' ? [{ text, isAttack: false }] : [],
    ),
    ...readPassages('calibrating').map((text) => ({ text, isAttack: false })),
  ].map(({ text, isAttack }) => ({ text: text.slice(0, EXCERPT), isAttack }));
  const attacks = examples.filter(({ isAttack }) => isAttack).length;
  console.log(`${attacks} attacks and ${examples.length - attacks} benign texts`);
  const provenance = {
    what: 'Weights of a linear model over hashed n-grams of three to five characters.',
    attacks: 'spikee 0.9.2 (Apache-2.0), agent-injection-bench 0.1.0 (MIT), pyrit 1.1.0 (MIT), from PyPI',
    benign:
      'inputs of spikee, the looked-at half of test/quality/samples, the calibrating half of test/quality/documents',
    made: 'npm run -s quality:wording -- --fetch --train',
    seed: String(SEED),
  };
  await writeFile(WEIGHTS_FILE, `${JSON.stringify({ provenance, ...packModel(fitModel(examples, SEED)) }, null, 2)}\n`);
}

const guards = await createGuards();
const isCaught = async (text: string, where: 'user' | 'tool') =>
  (where === 'user' ? await guards.judgeUser([text]) : await guards.judgeTool(text)).isCaught;
async function printShare(name: string, texts: readonly { text: string; where: 'user' | 'tool' }[]): Promise<void> {
  let caught = 0;
  for (const { text, where } of texts) if (await isCaught(text, where)) caught += 1;
  console.log(`${name}: ${renderShare(caught, texts.length)}`);
}

const known = readTrainingTexts().map(({ text }) => text);
const leftOut = readLeftOutTexts();
for (const origin of ['garak', 'agentdojo']) {
  const own = leftOut.filter((one) => one.origin === origin).map(({ text }) => text);
  const where = origin === 'garak' ? ('user' as const) : ('tool' as const);
  const toRows = (texts: readonly string[]) => texts.map((text) => ({ text, where }));
  await printShare(`${origin}, attacks`, toRows(own));
  await printShare(`${origin}, attacks that share no wording with a training text`, toRows(withoutKnown(own, known)));
}
const kept = selectHalf(samples, 'kept');
for (const label of ['attack', 'benign'] as const)
  await printShare(
    `own, kept half, ${label}`,
    kept.filter((one) => one.label === label),
  );
process.exit();
