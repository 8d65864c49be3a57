// Splits the text and wraps the parts: variables, JSON, a table, several messages.
import { listCharacters, splitText, type DisguiseForm } from './disguise-form.ts';

const PARTS = 4;
const splitInParts = (text: string): string[] =>
  splitText(text, Math.max(1, Math.ceil(listCharacters(text).length / PARTS)));

export const WRAPPING_FORMS: Readonly<Record<string, DisguiseForm>> = {
  variables: (text) => {
    const parts = splitInParts(text);
    const lines = parts.map((part, at) => `v${at} = ${JSON.stringify(part)}`);
    return `${lines.join('\n')}\nAnswer ${parts.map((_, at) => `v${at}`).join(' + ')}`;
  },
  'json-strings': (text) => JSON.stringify({ page: 1, data: JSON.stringify({ items: [{ note: text }] }) }),
  'table-cells': (text) => `| ${text.split(/\s+/).join(' | ')} |`,
  messages: (text) => {
    const words = text.split(/(?<=\s)/);
    const middle = Math.ceil(words.length / 2);
    return [words.slice(0, middle).join(''), words.slice(middle).join('')].filter((part) => part.trim() !== '');
  },
};
