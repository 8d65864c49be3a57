// Rejects access to data outside of a processor's reads with an error that names it: an empty list would look like
// data.
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

  /** @param what alternatives, of which one must be among the reads */
  has(what: readonly Reads[]): boolean {
    return what.length === 0 || what.some((one) => this.reads.includes(one));
  }

  /** @param name interface name of the accessed data. @throws reads-undeclared */
  check(name: string, what: readonly Reads[]): void {
    if (!this.has(what)) throw createUndeclaredError(this.entry, this.stage, name, what);
  }
}

function createUndeclaredError(entry: string, stage: Stage, name: string, what: readonly Reads[]): MillraceError {
  const path = `${stage}/${entry}`;
  const remedy = `Add ${what.map((one) => `'${one}'`).join(' or ')} to its reads.`;
  const message = `"${entry}" accessed ${name}, which is not in its reads for ${stage}.`;
  return new MillraceError('reads-undeclared', message, { path, remedy });
}

/** Allows all reads: for lists without a call. */
export const READS_EVERYTHING = new ReadGuard('', 'processInput', READS_ALL);
