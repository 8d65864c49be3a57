// Error of a reader that lags behind the buffer: it can resume at the position without missing stored chunks.
import { MillraceError, type Position } from '@millrace/contracts';

export class CutOffError extends MillraceError {
  /** Position of the next chunk for this reader: `from` of `follow`. */
  readonly from: Position;

  constructor(behind: number, from: Position) {
    super('chunks-gone', `This reader is ${behind} chunks behind the buffer.`, {
      remedy: `Follow the run from ${from.epoch}, ${from.index} to replay the stored chunks, and read chunks as they arrive.`,
    });
    this.from = from;
  }
}
