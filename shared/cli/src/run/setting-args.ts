// Parses the settings of one run: the schema of its answer, settings of the model, the choice of a tool, the release.
import { listIssues, runRequestSchema } from '@millrace/contracts';
import type { StartOptions } from '@millrace/client';
import { UsageError } from '../command/usage-error.ts';

export const settingArgs = {
  schema: { type: 'string', description: 'JSON Schema of the answer, as JSON' },
  settings: { type: 'string', description: "settings of the model as JSON, within the agent's callerSettings" },
  'tool-choice': { type: 'string', description: 'auto, none, required, or the name of a tool' },
  release: { type: 'string', description: "chunk, step or result; not earlier than the agent's" },
} as const;
type SettingName = keyof typeof settingArgs;
type Settings = Pick<StartOptions, 'structuredOutput' | 'modelSettings' | 'toolChoice' | 'release'>;

const FIELDS = {
  schema: 'structuredOutput',
  settings: 'modelSettings',
  'tool-choice': 'toolChoice',
  release: 'release',
} as const;
const schema = runRequestSchema.pick({ structuredOutput: true, modelSettings: true, toolChoice: true, release: true });

/** @throws UsageError with the option and the position in it */
export function parseSettings(given: { [name in SettingName]?: string | undefined }, command: string): Settings {
  const { schema: form, settings, 'tool-choice': tool, release } = given;
  const parsed = schema.safeParse({
    ...(form !== undefined && { structuredOutput: { schema: parseJson(form, 'schema', command) } }),
    ...(settings !== undefined && { modelSettings: parseJson(settings, 'settings', command) }),
    ...(tool !== undefined && { toolChoice: readToolChoice(tool) }),
    ...(release !== undefined && { release }),
  });
  if (parsed.success) return parsed.data;
  const problems = listIssues(parsed.error).map(({ path = '', message }) => `${spellOption(path)} ${message}`);
  throw new UsageError(problems.join('; '), command);
}

const readToolChoice = (text: string) =>
  ['auto', 'none', 'required'].includes(text) ? text : { type: 'tool', toolName: text };

function parseJson(text: string, name: SettingName, command: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new UsageError(`--${name} takes JSON: ${error instanceof Error ? error.message : 'this is none'}`, command);
  }
}

/** Converts `modelSettings.seed` to the argument and the path: .seed of --settings. */
function spellOption(path: string): string {
  const found = Object.entries(FIELDS).find(([, field]) => path === field || path.startsWith(`${field}.`));
  return found ? `--${found[0]}${path.slice(found[1].length)}` : path;
}
