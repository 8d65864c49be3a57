// Ordinary texts pass byte for byte: real source files and JSON of this repository and of its packages, tables, and
// prose in twenty languages, also as arguments and results of tools.
import { globSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { inputArgs } from '@millrace/testkit';
import { buildTextMessage } from '@millrace/contracts';
import { describe, expect, test } from 'vitest';
import { messageWithTool } from '../../testing/messages.ts';
import { unicodeNormalizer } from './unicode-normalizer.ts';

/** Sentences with the signs, joiners, spaces and marks that the language needs. */
const PROSE: Record<string, string> = {
  English: 'The café’s “naïve” menu — 20 °C, x² + y², ½ price… ™ ©  2024\n\n\n\tIndented.\r\n',
  German: '„Größe“, ‚Maß‘ – straße, 5 km², § 3',
  French: 'L’œuvre : « où ? »\u00a0! À 20\u202f% …',
  Spanish: '¿Cuándo? ¡Mañana! 1.ª y 2.º',
  Portuguese: 'São João, à tarde: nº 3, 4ª feira',
  Polish: 'Zażółć gęślą jaźń, „cudzysłów”',
  Czech: 'Příliš žluťoučký kůň úpěl ďábelské ódy',
  Turkish: 'İstanbul’da ığdır, şöyle çağ',
  Vietnamese: 'Tiếng Việt có nhiều dấu thanh: ế ằ ữ ợ',
  Russian: '«Съешь ещё этих мягких булок» — № 5',
  Greek: 'Ξεσκεπάζω την ψυχοφθόρα βδελυγμία· τι;',
  Hebrew: 'שָׁלוֹם עוֹלָם – צה״ל, ג׳ירפה',
  Arabic: 'السَّلَامُ عَلَيْكُم، كيف حالك؟ ٢٠٢٤ هـ',
  Persian: 'می\u200cخواهم کتاب\u200cها را به خانه\u200cی دوستم ببرم؛ نمی\u200cدانم.',
  Urdu: 'اردو میں لکھیے، یہ\u200cکتاب ہے۔',
  Hindi: 'क्ष और क्\u200dष और क्\u200cष, ज़िंदगी – हिन्दी।'.normalize('NFC'),
  Bengali: 'র\u200d্যাব, উদ্\u200cঘাটন, বাংলা।'.normalize('NFC'),
  Tamil: 'க்\u200cஷ, தமிழ் மொழி, ஸ்ரீ',
  Malayalam: 'അവന്\u200d, നന്\u200cമ, മലയാളം',
  Sinhala: 'ශ්\u200dරී ලංකාව, ක්\u200dය',
  Thai: 'ภาษา\u200bไทย ๒๕๖๗',
  Khmer: 'ភាសា\u200bខ្មែរ\u200bជា\u200bភាសា',
  Chinese: '你好，世界！（测试）：“引号”；３个　全角空格',
  Japanese: 'ｶﾀｶﾅと全角ＡＢＣ、「引用」〜　㈱ ①',
  Korean: '한국어 문장입니다. ㈜ ㎏',
  Mongolian: 'ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ᠌ ᠊ᠠ\u180b',
  emoji: '👩‍💻 👨‍👩‍👧‍👦 🏳️‍🌈 ❤️ 1️⃣ ☎︎ 🏴󠁧󠁢󠁥󠁮󠁧󠁿',
};

const root = resolve(import.meta.dirname, '../../../../..');
/** Files of this repository and of installed packages, without those that hold a hidden character on purpose. */
const FILES = [
  ...globSync('{services,shared,test,docs,examples,deploy}/**/*.{ts,json,md,yaml,py,go,css,csv}', {
    cwd: root,
    exclude: (name) => /node_modules|dist/.test(name),
  }),
  ...globSync('services/guardrails/node_modules/*/{package.json,README.md,*.js}', { cwd: root }),
].map((name) => resolve(root, name));
/** The characters that the normalizer promises to remove, and text in another form than NFC. */
const mayChange = (text: string): boolean =>
  // oxlint-disable-next-line no-control-regex -- a file with control characters is not in the sample
  /[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb\u0000-\u0008\u000e-\u001f\u007f-\u0084\u0086-\u009f]/u.test(text) ||
  text !== text.normalize('NFC');

async function countOps(texts: readonly string[]): Promise<number> {
  const messages = texts.map((text, at) => buildTextMessage(`m${at}`, 'user', text));
  const args = inputArgs([...messages, messageWithTool('t', { texts: [...texts] }, [...texts])]);
  await unicodeNormalizer.create({}).processInput?.(args);
  return args.messageList.takeOps().length;
}

describe('the default options', () => {
  test.each(Object.entries(PROSE))('keep a text in %s byte for byte', async (_language, text) =>
    expect(await countOps([text])).toBe(0),
  );

  test('keep each source file, JSON file and document of the repository and its packages byte for byte', async () => {
    const texts = FILES.map((file) => readFileSync(file, 'utf8')).filter((text) => text.length < 60_000);
    const ordinary = texts.filter((text) => !mayChange(text));
    expect(ordinary.length).toBeGreaterThan(500);
    expect(ordinary.length / texts.length).toBeGreaterThan(0.9);
    for (let at = 0; at < ordinary.length; at += 40) expect(await countOps(ordinary.slice(at, at + 40))).toBe(0);
  });

  test('keep the cells, tabs and columns of a table', async () => {
    const table = 'id\tname  \t x\r\n1\t\t  \n| a  |   b |\n|----|----:|\n\n\n\n   +---+   \n';
    expect(await countOps([table, JSON.stringify({ table }, undefined, 4), `${table}\f`])).toBe(0);
  });
});
