// Sentences from templates: `(a|b|)` is one of these, `{name}` an entry of a list of that name, `{@name}` a word of a lexicon's class.
import type { Random } from './random.ts';

/** By name; entries may hold templates themselves. */
export type Lists = Readonly<Record<string, readonly string[]>>;

const innermost = /\(([^()]*)\)|\{(@?[\w-]+)\}/;
const MAX_STEPS = 400;

/** @throws where a list has no such name */
export function expand(template: string, lists: Lists, random: Random): string {
  let text = template;
  for (let step = 0; step < MAX_STEPS; step++) {
    const found = innermost.exec(text);
    if (!found)
      return text
        .replace(/ +/g, ' ')
        .replace(/ ([,.;:?!])/g, '$1')
        .trim();
    const [all, choices, name] = found;
    const chosen = name === undefined ? random.oneOf((choices ?? '').split('|')) : random.oneOf(listOf(lists, name));
    text = text.slice(0, found.index) + chosen + text.slice(found.index + all.length);
  }
  throw new Error(`The template does not end: ${template}`);
}

function listOf(lists: Lists, name: string): readonly string[] {
  const list = lists[name];
  if (!list) throw new Error(`There is no list "${name}".`);
  return list;
}
