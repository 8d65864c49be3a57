// npm run -s pages: writes docs/processors, and the list of shipped processors of the command line, from the sources of the processors.
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { findProcessors } from './find-processors.ts';
import { SHIPPED_LIST, processorPages, writeShippedList } from './processor-page.ts';

const root = resolve(import.meta.dirname, '../..');
const dir = join(root, 'docs/processors');
const found = await findProcessors();
const pages = processorPages(found);
for (const { path, definition, docstring } of found)
  if (!docstring) console.error(`${path}: "${definition.id}" has no docstring: no page is written of it`);
const names = pages.map(({ name }) => name);
for (const name of await readdir(dir)) if (!names.includes(name)) await rm(join(dir, name));
for (const { name, text } of pages) await writeFile(join(dir, name), text);
await writeFile(join(root, SHIPPED_LIST), writeShippedList(found));
