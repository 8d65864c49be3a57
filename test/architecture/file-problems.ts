// What is wrong with a file by its size, its name or its shape.
import { posix } from 'node:path';
import { readFacts } from './source-facts.ts';
import type { Source } from './workspace.ts';

/** Over this, a file is a design question. */
const maxLines = 300;
/** Names that say nothing, and so gather everything. */
const emptyNames = new Set(['util', 'utils', 'utilities', 'common', 'helper', 'helpers', 'misc']);

export function fileProblems({ path, text }: Source): string[] {
  const lines = text.split('\n').length - (text.endsWith('\n') ? 1 : 0);
  const isConfig = path.endsWith('.config.ts');
  return [
    ...(lines > maxLines ? [`${path}: ${lines} lines; ${maxLines} is the most.`] : []),
    ...(path.split('/').some(saysNothing) ? [`${path}: the name says nothing.`] : []),
    ...(!isConfig && hasDefaultExport(path, text) ? [`${path}: has a default export.`] : []),
  ];
}

function hasDefaultExport(path: string, text: string): boolean {
  // Parsing is the expensive part, and no default export goes without the word.
  return text.includes('default') && readFacts(path, text).hasDefaultExport;
}

/** The whole name of a folder or a file, or the last word of it: string-utils.ts is as bad as utils.ts. */
function saysNothing(segment: string): boolean {
  const [name = ''] = posix.basename(segment).split('.');
  return emptyNames.has(name.slice(name.lastIndexOf('-') + 1).toLowerCase());
}
