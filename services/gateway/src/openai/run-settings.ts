// Converts the settings of a request to those of a run: members that the agent opens to its callers, and the form of the
// answer. Pure.
import {
  MillraceError,
  callerModelSettingsSchema,
  callerOutputSchema,
  isObject,
  listIssues,
  type CallerSetting,
} from '@millrace/contracts';
import type { StartOptions } from '@millrace/client';
import type { SettingTraits } from '../agents/agent-traits.ts';
import { TOOL_PATHS } from './client-tools.ts';

export type RunSettings = Pick<StartOptions, 'structuredOutput' | 'modelSettings'>;
/** Setting of a run by the name of the member; of two members of one setting, the later one counts. */
export type SettingNames = Readonly<Record<string, Exclude<CallerSetting, 'toolChoice'>>>;

type SettingsRequest = Readonly<Record<string, unknown>>;
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Returns whether the conversion of the request depends on the agent. */
export const needsSettingTraits = (request: SettingsRequest, names: SettingNames, format: unknown): boolean =>
  isGiven(format) || Object.keys(names).some((name) => isGiven(request[name]));

/** @throws message-invalid with the member as its path */
export function readModelSettings(
  request: SettingsRequest,
  names: SettingNames,
  { callerSettings }: SettingTraits,
): Pick<RunSettings, 'modelSettings'> {
  const given = Object.entries(names).filter(
    ([name, setting]) => isGiven(request[name]) && callerSettings.includes(setting),
  );
  if (given.length === 0) return {};
  const parsed = callerModelSettingsSchema.safeParse(
    Object.fromEntries(given.map(([name, setting]) => [setting, convertValue(setting, request[name])])),
  );
  if (parsed.success) return { modelSettings: parsed.data };
  const [{ path = '', message } = { message: 'is invalid' }] = listIssues(parsed.error);
  const name = given.findLast(([, setting]) => path.startsWith(setting))?.[0] ?? path;
  throw new MillraceError('message-invalid', `"${name}" ${message}.`, { path: name });
}

/** One stop sequence may be a text. */
const convertValue = (setting: CallerSetting, value: unknown): unknown =>
  setting === 'stopSequences' && typeof value === 'string' ? [value] : value;

/** A provider receives no schema of any object, but the request for JSON. */
const ANY_OBJECT = { type: 'object', additionalProperties: true };

/**
 * Reads the form of the answer.
 * @param path of the member, for errors
 * @throws message-invalid, not-built-yet, run-refused if the agent has a form of its own
 */
export function readForm(
  format: unknown,
  path: string,
  { hasForm }: SettingTraits,
): Pick<RunSettings, 'structuredOutput'> {
  if (!isGiven(format)) return {};
  const { type } = isObject(format) ? format : {};
  if (type === 'text') return {};
  // The answers of an agent with a form are objects.
  if (type === 'json_object') return hasForm ? {} : { structuredOutput: { schema: ANY_OBJECT } };
  if (type !== 'json_schema' || !isObject(format))
    throw new MillraceError('not-built-yet', `"${path}" of this type is not supported.`, {
      path,
      remedy: 'Use text, json_object or json_schema.',
    });
  if (hasForm)
    throw new MillraceError('run-refused', 'The agent defines the form of its answers.', {
      path,
      remedy: `Omit "${path}".`,
    });
  // Chat completions have the schema in a member, responses have it in the format.
  const { name, description, schema } = isObject(format['json_schema']) ? format['json_schema'] : format;
  const parsed = callerOutputSchema.safeParse({
    schema: schema ?? ANY_OBJECT,
    ...(isGiven(name) && { name }),
    ...(isGiven(description) && { description }),
  });
  if (parsed.success) return { structuredOutput: parsed.data };
  const [{ path: at = '', message } = { message: 'is invalid' }] = listIssues(parsed.error);
  throw new MillraceError('message-invalid', `"${path}" is invalid: ${at} ${message}.`, { path });
}

/**
 * Names the member of the protocol in the errors of a submission.
 * @param form the member with the form of the answer
 * @throws the reason of the submission
 */
export async function startWithMembers<T>(form: string, starting: Promise<T>): Promise<T> {
  const members = { structuredOutput: form, ...TOOL_PATHS };
  try {
    return await starting;
  } catch (error) {
    if (!MillraceError.isInstance(error)) throw error;
    const path = Object.entries(members).find(([member]) => error.path?.startsWith(member))?.[1];
    if (path === undefined) throw error;
    const { code, message, remedy, retryAfterMs, issues } = error;
    throw new MillraceError(code, message, { path, remedy, retryAfterMs, issues, cause: error });
  }
}
