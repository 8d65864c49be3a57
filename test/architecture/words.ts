// The words that the glossary replaced, and where they still stand: in names (identifiers and members, so wire fields too), in file names,
// in headings and in test titles. Prose may use them in their ordinary sense.
import { Visitor } from 'oxc-parser';
import { parseSource } from './source-facts.ts';

export type Replaced = { not: string; but: string };

const HEADING = '## Replaced words';

/** The rows of the glossary's last table. @throws when there is none: the test would then pass for want of words. */
export function replacedWords(glossary: string): Replaced[] {
  const section = glossary.split(HEADING)[1];
  const rows = [...(section ?? '').matchAll(/^\| (?!not |-)(.+?) \| (.+?) \|$/gm)];
  if (rows.length === 0) throw new Error(`docs/glossary.md has no table under "${HEADING}"`);
  return rows.map(([, not = '', but = '']) => ({ not, but }));
}

/** Words of a name: camelCase, kebab-case, UPPER_SNAKE. `sendHeartbeat` is "send heartbeat". */
export function wordsOf(name: string): string {
  return name
    .replaceAll(/([a-z\d])([A-Z])/g, '$1 $2')
    .replaceAll(/[^A-Za-z\d]+/g, ' ')
    .trim()
    .toLowerCase();
}

export function replacedIn(name: string, replaced: readonly Replaced[]): Replaced | undefined {
  const words = ` ${wordsOf(name)} `;
  return replaced.find(({ not }) => words.includes(` ${not} `) || words.includes(` ${not}s `));
}

/** Identifiers, members and test titles of a source, each once. */
export function namesOf(path: string, text: string): string[] {
  const program = parseSource(path, text);
  const names = new Set<string>();
  new Visitor({
    Identifier: ({ name }) => void names.add(name),
    PrivateIdentifier: ({ name }) => void names.add(name),
    CallExpression: ({ callee, arguments: [title] }) => {
      if (!isTest(text.slice(callee.start, callee.end))) return;
      if (title?.type === 'Literal' && typeof title.value === 'string') names.add(title.value);
    },
  }).visit(program);
  return [...names];
}

const isTest = (callee: string): boolean => /^(?:test|describe)\b/.test(callee);

export function headingsOf(markdown: string): string[] {
  return [...markdown.replaceAll(/^```[^]*?^```/gm, '').matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => heading);
}
