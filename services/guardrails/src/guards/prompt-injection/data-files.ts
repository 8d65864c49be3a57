// Reads the data files of prompt-injection: rules, lexicons and word lists, each validated when it is loaded.
import { readdirSync, readFileSync } from 'node:fs';
import { z } from 'zod';

/** The folder of the data files. */
export const DATA = new URL('data/', import.meta.url);

/** One line of words with one space between them. `*` ends a stem: `anweisung*`. */
const wordLine = z
  .string()
  .regex(/^[^\s*]+\*?(?: [^\s*]+\*?)*$/u, 'expected words with one space between them, and * only at the end of one');

/** Lines of words, joined into one string. */
export const wordLines = z
  .array(wordLine)
  .min(1)
  .transform((lines) => lines.join(' '));

/**
 * Reads the JSON files of a folder in the order of its `index.json`, an array of all other file names without `.json`. The order decides
 * between entries that are otherwise equal.
 * @returns the contents by name
 * @throws as readDataFile, or if the index does not list exactly the files of the folder
 */
export function readDataFolder<T>(folder: URL, schema: z.ZodType<T>): ReadonlyMap<string, T> {
  const index = new URL('index.json', folder);
  const names = readDataFile(index, z.array(z.string()));
  const present = readdirSync(folder).flatMap((file) => (file === 'index.json' ? [] : [file.replace(/\.json$/, '')]));
  const odd = [...new Set([...names, ...present])].find((name) => !names.includes(name) || !present.includes(name));
  if (odd !== undefined) throw new Error(`${nameInData(index)} does not list the files of its folder: see "${odd}"`);
  return new Map(names.map((name) => [name, readDataFile(new URL(`${name}.json`, folder), schema)]));
}

/** @throws if the file is not JSON or does not fit the schema. The error names the file and the entry. */
export function readDataFile<T>(file: URL, schema: z.ZodType<T>): T {
  const result = schema.safeParse(parseJson(file));
  if (result.success) return result.data;
  const issues = result.error.issues.map(({ path, message }) => `${formatEntryName(path)}: ${message}`);
  throw new Error(`${nameInData(file)} is not valid. ${issues.join('; ')}`);
}

function parseJson(file: URL): unknown {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`${nameInData(file)} is not JSON: ${reason}`, { cause: error });
  }
}

/** Such as `rules/role.json`. */
const nameInData = ({ pathname }: URL): string => pathname.split('/').slice(-2).join('/');

/** Such as `rules[3].weight`. */
const formatEntryName = (path: readonly PropertyKey[]): string =>
  path.length === 0
    ? 'the file'
    : path
        .map((key) => (typeof key === 'number' ? `[${key}]` : `.${String(key)}`))
        .join('')
        .replace(/^\./, '');
