// What a processor has not said that it reads it does not get; looking at it all the same fails by name, there and then: an empty list
// would look like an answer.
import { MillraceError, READS_ALL, type Reads, type Stage } from '@millrace/contracts';

/** One for each call of a processor: a class, so that it costs no closures. */
export class ReadGuard {
  readonly entry: string;
  readonly stage: Stage;
  readonly reads: readonly Reads[];

  constructor(entry: string, stage: Stage, reads: readonly Reads[]) {
    this.entry = entry;
    this.stage = stage;
    this.reads = reads;
  }

  /** @param what one of these has to be among the reads */
  has(what: readonly Reads[]): boolean {
    return what.length === 0 || what.some((one) => this.reads.includes(one));
  }

  /** @param name what was looked at, in the words of the interface. @throws reads-undeclared */
  check(name: string, what: readonly Reads[]): void {
    if (!this.has(what)) throw undeclared(this.entry, this.stage, name, what);
  }
}

function undeclared(entry: string, stage: Stage, name: string, what: readonly Reads[]): MillraceError {
  const path = `${stage}/${entry}`;
  const remedy = `Add ${what.map((one) => `'${one}'`).join(' or ')} to its reads.`;
  const message = `"${entry}" looked at ${name}, which it does not read in ${stage}.`;
  return new MillraceError('reads-undeclared', message, { path, remedy });
}

/** Everything is read: for lists that belong to no call. */
export const READS_EVERYTHING = new ReadGuard('', 'processInput', READS_ALL);
