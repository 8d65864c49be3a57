// Detects changes of global state by a test file, which affect later files in the same process without keeping anything
// open.
import { vi } from 'vitest';

/** By the name in the report, for example `process.env.NATS_URL`. */
export type GlobalState = ReadonlyMap<string, unknown>;

const BUILT_IN = { Object, Array, Function, String, Number, Promise, Map, Set, RegExp, Date, Error, Buffer };
/** Loggers listen to it once a process, as soon as they are imported. */
const LISTENED_TO: ReadonlySet<string | symbol> = new Set(['exit', 'beforeExit']);

export function globalState(): GlobalState {
  const listeners = process.eventNames().filter((name) => !LISTENED_TO.has(name));
  return new Map<string, unknown>([
    ['the working directory', process.cwd()],
    ['fake timers', vi.isFakeTimers()],
    ...Object.entries(process.env).map(([name, value]) => [`process.env.${name}`, value] as const),
    ...listeners.map((name) => [`listeners of ${String(name)}`, process.listenerCount(name)] as const),
    ...Object.entries(BUILT_IN).flatMap(([name, type]) => listMembers(name, type)),
  ]);
}

const listMembers = (name: string, { prototype }: { prototype: object }): [string, unknown][] =>
  Reflect.ownKeys(prototype).map((key) => [
    `${name}.prototype.${String(key)}`,
    Object.getOwnPropertyDescriptor(prototype, key)?.value,
  ]);

/** Returns the names of changed state. */
export function changedState(before: GlobalState, now: GlobalState): string[] {
  const names = new Set([...before.keys(), ...now.keys()]);
  return [...names].filter((name) => !Object.is(before.get(name), now.get(name)));
}
