// One end of a stream session: numbers of its batches in both directions, and signs of life. Pure; both ends keep one.
import { SESSION_LIMITS } from './session.ts';

export type SessionLine = {
  /** Number that the next batch of the other end must have. */
  nextIn: number;
  /** Number of the next batch of this end. */
  nextOut: number;
  /** When the last batch arrived, ms of a clock that never jumps. */
  inAt: number;
  /** When this end sent its last batch. */
  outAt: number;
};

export const openLine = (at: number): SessionLine => ({ nextIn: 0, nextOut: 0, inAt: at, outAt: at });

/** Returns undefined if a batch before this one is missing, or the batch has arrived before. */
export function receiveOn(line: SessionLine, sequence: number, at: number): SessionLine | undefined {
  return sequence === line.nextIn ? { ...line, nextIn: sequence + 1, inAt: at } : undefined;
}

/** @param batches number of messages that one send took */
export const sendOn = (line: SessionLine, batches: number, at: number): SessionLine => ({
  ...line,
  nextOut: line.nextOut + batches,
  outAt: at,
});

export const isSilent = ({ inAt }: SessionLine, at: number): boolean => at - inAt > SESSION_LIMITS.silenceMs;

/** Half of the interval that the wire demands: a late timer must not count as silence. */
export const isHeartbeatDue = ({ outAt }: SessionLine, at: number): boolean =>
  at - outAt >= SESSION_LIMITS.heartbeatMs / 2;
