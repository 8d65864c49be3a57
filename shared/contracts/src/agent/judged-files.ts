// Resolves the kinds of files that a processor judges: its advertised kinds with the options of an entry.
import { z } from 'zod';
import type { JsonObject, JsonSchema } from '../base/json.ts';
import { FILE_KINDS, type FileKind } from '../base/media-types.ts';
import { readOption } from '../stage/stage-changes.ts';

export const fileKindSchema = z.enum(FILE_KINDS);

export const judgesFilesSchema = z.union([
  z.array(fileKindSchema).min(1),
  z.object({ option: z.string().describe('name of a top-level option of the schema: a list of kinds') }),
]);
export type JudgesFiles = z.infer<typeof judgesFilesSchema>;

/** Returns the kinds in the order of FILE_KINDS. Other values of the option count as none. */
export function resolveJudgedFiles(
  judges: JudgesFiles | undefined,
  optionsSchema: JsonSchema,
  options: JsonObject,
): FileKind[] {
  if (judges === undefined) return [];
  const kinds: unknown = Array.isArray(judges) ? judges : readOption(optionsSchema, options, judges.option);
  return Array.isArray(kinds) ? FILE_KINDS.filter((kind) => kinds.includes(kind)) : [];
}
