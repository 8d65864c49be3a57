// States for each member of a protocol how the gateway treats it, and treats the members of a request so: nothing is dropped in
// silence. docs/http.md has the tables.
import { MillraceError, isObject, type CallerSetting } from '@millrace/contracts';

type ModelSettingName = Exclude<CallerSetting, 'toolChoice'>;

/**
 * `honoured`: the gateway or the run acts on it. `passed`: it reaches the model, or the next reader, unchanged. `setting`: it reaches the model if
 * the agent opens the setting, and is ignored otherwise. `ignored`: it has no effect, and `x-millrace-ignored` names it. `refused`: a value that
 * `accepts` does not accept is an error with the path of the member.
 */
export type MemberUse =
  | { use: 'honoured' | 'passed' | 'ignored' }
  | { use: 'setting'; setting: ModelSettingName }
  | { use: 'refused'; accepts?: (value: unknown) => boolean; reason?: string };
export type MemberTable = Readonly<Record<string, MemberUse>>;

export const HONOURED: MemberUse = { use: 'honoured' };
export const PASSED: MemberUse = { use: 'passed' };
export const IGNORED: MemberUse = { use: 'ignored' };
export const openSetting = (setting: ModelSettingName): MemberUse => ({ use: 'setting', setting });
export const refuse = (reason?: string, accepts?: (value: unknown) => boolean): MemberUse => ({
  use: 'refused',
  ...(reason !== undefined && { reason }),
  ...(accepts && { accepts }),
});
export const isEmptyList = (value: unknown): boolean => Array.isArray(value) && value.length === 0;

/**
 * The objects of a request that have one table. `name` is their path for a reader, such as `messages[]`; '' is the request itself. `skips`: an
 * object of another protocol, of which no member is checked.
 */
export type MemberGroup = {
  name: string;
  table: MemberTable;
  skips?: (value: Readonly<Record<string, unknown>>) => boolean;
};
/** An object of a request, with its own path, such as `messages[2]`. */
type PlacedMembers = { group: MemberGroup; path: string; value: Readonly<Record<string, unknown>> };
/** The group `request` is that of the request itself. */
export type MemberGroups = Readonly<{ request: MemberGroup } & Record<string, MemberGroup>>;

/** Maximum number of names in `x-millrace-ignored`. */
const MAX_NAMES = 32;
const NAME = /^[\w.-]{1,64}$/;
const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/**
 * Refuses members, and returns those without an effect, by their path for a reader: ignored ones, ones that no table has, and settings that
 * the agent does not open.
 * @throws not-built-yet with the path of the member
 */
export function checkMembers(
  body: Readonly<Record<string, unknown>>,
  groups: MemberGroups,
  openSettings: readonly CallerSetting[] = [],
): string[] {
  const ignored = new Set<string>();
  const inner = Map.groupBy(Object.values(groups), (group) => readOuterName(group) ?? '-');
  for (const { group, path, value } of listPlaces(body, groups.request, '', inner)) {
    for (const [name, member] of Object.entries(value)) {
      if (!isGiven(member)) continue;
      const row = Object.hasOwn(group.table, name) ? group.table[name] : IGNORED;
      if (row?.use === 'refused' && row.accepts?.(member) !== true)
        throw createRefusal(joinPath(path, name), row.reason);
      const isClosed = row?.use === 'setting' && !openSettings.includes(row.setting);
      if ((row?.use === 'ignored' || isClosed) && ignored.size < MAX_NAMES && NAME.test(name))
        ignored.add(joinPath(group.name, name));
    }
  }
  return [...ignored];
}

type InnerGroups = ReadonlyMap<string, readonly MemberGroup[]>;

/** Yields the object, and the objects within it that have a group. */
function* listPlaces(value: unknown, group: MemberGroup, path: string, inner: InnerGroups): Generator<PlacedMembers> {
  if (!isObject(value) || group.skips?.(value) === true) return;
  yield { group, path, value };
  for (const child of inner.get(group.name) ?? []) {
    const name = readLastName(child);
    const member = Object.hasOwn(value, name) ? value[name] : undefined;
    const own = joinPath(path, name);
    if (!child.name.endsWith('[]')) yield* listPlaces(member, child, own, inner);
    else if (Array.isArray(member))
      for (const [at, item] of member.entries()) yield* listPlaces(item, child, `${own}[${at}]`, inner);
  }
}

const readLastName = ({ name }: MemberGroup): string => name.replace(/^.*\./, '').replace(/\[\]$/, '');
/** Returns the name of the group of the object around; undefined for that of the request. */
const readOuterName = ({ name }: MemberGroup): string | undefined =>
  name === '' ? undefined : (/^(.*)\./.exec(name)?.[1] ?? '');

const joinPath = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

const createRefusal = (path: string, reason = ''): MillraceError =>
  new MillraceError('not-built-yet', `"${path}" is not supported. ${reason}`.trim(), {
    path,
    remedy: `Omit "${path}".`,
  });

/** Returns the settings of a table by the name of the member; of two members of one setting, the later one counts. */
export const listSettings = (table: MemberTable): Readonly<Record<string, ModelSettingName>> =>
  Object.fromEntries(
    Object.entries(table).flatMap(([name, row]) => (row.use === 'setting' ? [[name, row.setting]] : [])),
  );
