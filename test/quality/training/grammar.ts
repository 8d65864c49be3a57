// Generates sentences from templates: `(a|b|)` is a choice, `{name}` an entry of a list, `{@name}` a word of a
// lexicon's class.
import type { TrainingRandom } from './random.ts';

/** By name; entries may contain templates. */
export type Lists = Readonly<Record<string, readonly string[]>>;

const innermost = /\(([^()]*)\)|\{(@?[\w-]+)\}/;
const MAX_STEPS = 400;

/** @throws if no list has the name */
export function expand(template: string, lists: Lists, random: TrainingRandom): string {
  let text = template;
  for (let step = 0; step < MAX_STEPS; step++) {
    const found = innermost.exec(text);
    if (!found)
      return text
        .replace(/ +/g, ' ')
        .replace(/ ([,.;:?!])/g, '$1')
        .trim();
    const [all, choices, name] = found;
    const chosen = name === undefined ? random.pick((choices ?? '').split('|')) : random.pick(getList(lists, name));
    text = text.slice(0, found.index) + chosen + text.slice(found.index + all.length);
  }
  throw new Error(`The template does not end: ${template}`);
}

function getList(lists: Lists, name: string): readonly string[] {
  const list = lists[name];
  if (!list) throw new Error(`There is no list "${name}".`);
  return list;
}

/** `where`: author of the texts; both if either is possible. */
export type Family = { id: string; where: 'user' | 'tool' | 'both'; templates: readonly string[] };
