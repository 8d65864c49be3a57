// Finds problems of a file's size, name or shape.
import { posix } from 'node:path';
import { readFacts } from './source-facts.ts';
import type { Source } from './workspace.ts';

/** A file above this limit is a design question. */
const maxLines = 300;
/** Names without meaning, which attract unrelated code. */
const emptyNames = new Set(['util', 'utils', 'utilities', 'common', 'helper', 'helpers', 'misc']);

export function fileProblems({ path, text }: Source): string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const isConfig = path.endsWith('.config.ts');
  return [
    ...(lines > maxLines ? [`${path}: ${lines} lines; ${maxLines} is the limit.`] : []),
    ...(path.split('/').some(isEmptyName) ? [`${path}: the name has no meaning.`] : []),
    ...(!isConfig && hasDefaultExport(path, text) ? [`${path}: has a default export.`] : []),
  ];
}

function hasDefaultExport(path: string, text: string): boolean {
  // Parsing is expensive, and every default export contains the word.
  return text.includes('default') && readFacts(path, text).hasDefaultExport;
}

/** Matches the name of a folder or a file, or its last word: string-utils.ts is as bad as utils.ts. */
function isEmptyName(segment: string): boolean {
  const [name = ''] = posix.basename(segment).split('.');
  return emptyNames.has(name.slice(name.lastIndexOf('-') + 1).toLowerCase());
}
