// Packs built packages as tarballs for npm.
import { readdir } from 'node:fs/promises';
import { z } from 'zod';
import type { BuiltPackage } from './build-packages.ts';
import { runProgram } from './run-program.ts';

/** npm prints a list, or an object by package, depending on its version. */
const packedSchema = z.object({ filename: z.string(), entryCount: z.number() });
const packListSchema = z
  .union([z.array(packedSchema), z.record(z.string(), packedSchema)])
  .transform((packed) => Object.values(packed)[0] ?? { filename: '', entryCount: 0 });

/**
 * @param into an existing folder
 * @returns the file names of the tarballs by package
 * @throws Error if npm omits a file of a package
 */
export async function packPackages(built: readonly BuiltPackage[], into: string): Promise<Record<string, string>> {
  const packed: Record<string, string> = {};
  for (const { dir, manifest } of built) {
    const output = await runProgram('npm', ['pack', '--json', '--pack-destination', into], dir);
    const { filename, entryCount } = packListSchema.parse(JSON.parse(output));
    const files = (await readdir(dir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile());
    if (entryCount !== files.length)
      throw new Error(`npm packed ${entryCount} of ${files.length} files of ${manifest.name}.`);
    packed[manifest.name] = filename;
  }
  return packed;
}
