// A reader that is too slow is cut off and told where: it can come back with that position, and misses nothing that is still stored.
import { MillraceError } from '@millrace/contracts';
import type { Position } from './chunk-merge.ts';

export class CutOffError extends MillraceError {
  /** Of the next chunk that it has not been given: what `follow` takes as `from`. */
  readonly from: Position;

  constructor(behind: number, from: Position) {
    super('chunks-gone', `This reader is ${behind} chunks behind what is kept for it.`, {
      remedy: `Follow the run anew from ${from.epoch}, ${from.index}: what is still stored is replayed. Read as the chunks come.`,
    });
    this.from = from;
  }
}
