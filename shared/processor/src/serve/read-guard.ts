// What a processor has not said that it reads it does not get; looking at it all the same fails by name, there and then: an empty list
// would look like an answer.
import { MillraceError, type Reads, type Stage } from '@millrace/contracts';

/** `what`: one of these has to be among the reads. `name`: what was looked at, in the words of the interface. */
export type ReadGuard = {
  has(what: readonly Reads[]): boolean;
  /** @throws reads-undeclared */
  check(name: string, what: readonly Reads[]): void;
  /** The arguments, of which those that are not read throw when they are looked at; spreading them does not. */
  args<A extends object>(args: A, needs: Readonly<Record<string, readonly Reads[]>>): A;
};

export function createReadGuard(entry: string, stage: Stage, reads: readonly Reads[]): ReadGuard {
  const has = (what: readonly Reads[]) => what.length === 0 || what.some((one) => reads.includes(one));
  const check = (name: string, what: readonly Reads[]) => {
    if (has(what)) return;
    const path = `${stage}/${entry}`;
    const remedy = `Add ${what.map((one) => `'${one}'`).join(' or ')} to its reads.`;
    const message = `"${entry}" looked at ${name}, which it does not read in ${stage}.`;
    throw new MillraceError('reads-undeclared', message, { path, remedy });
  };
  return {
    has,
    check,
    args(args, needs) {
      const missing = Object.entries(needs).filter(([name, what]) => name in args && !has(what));
      if (missing.length === 0) return args;
      const guarded = { ...args };
      for (const [name, what] of missing)
        Object.defineProperty(guarded, name, { get: () => check(name, what), enumerable: false });
      return guarded;
    },
  };
}

/** Everything is read: for lists that belong to no call. */
export const READS_EVERYTHING: ReadGuard = { has: () => true, check: () => undefined, args: (args) => args };
