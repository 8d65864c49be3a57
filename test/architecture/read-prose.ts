// Reads all prose of the repository: the sources that the compiler checks, and the Markdown pages.
import { globSync } from 'node:fs';
import { sep } from 'node:path';
import { collectPageProse, collectSourceProse, type ProsePiece } from './collect-prose.ts';
import { readSources, readTracked, root } from './workspace.ts';

/** Folders whose texts are data: samples that guards are trained and measured with. */
const DATA = /^test\/quality\/samples\/|\/data\/|\/samples?\//;
const PAGES = ['*.md', '*/*.md', '*/*/*.md', '*/*/*/*.md'];

export function readProse(): ProsePiece[] {
  const sources = readSources().filter(({ path }) => !DATA.test(path));
  const pages = globSync(PAGES, { cwd: root, exclude: (path) => path.split(sep).includes('node_modules') });
  return [
    ...sources.flatMap(({ path, text }) => collectSourceProse(path, text)),
    ...pages.map((path) => path.replaceAll(sep, '/')).flatMap((path) => collectPageProse(path, readTracked(path))),
  ];
}
