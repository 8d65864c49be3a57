// Reads all prose of the repository: the sources that the compiler checks, and the Markdown pages.
import { collectPageProse, collectSourceProse, type ProsePiece } from './collect-prose.ts';
import { readPages, readSources } from './workspace.ts';

/** Folders whose texts are data: samples that guards are trained and measured with. */
const DATA = /^test\/quality\/samples\/|\/data\/|\/samples?\//;

export function readProse(): ProsePiece[] {
  const sources = readSources().filter(({ path }) => !DATA.test(path));
  return [
    ...sources.flatMap(({ path, text }) => collectSourceProse(path, text)),
    ...readPages().flatMap(({ path, text }) => collectPageProse(path, text)),
  ];
}
