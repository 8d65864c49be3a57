// Control flow of a stage: undefined continues; an interrupt ends the run or rewinds it.
import { toWireError, type ChunkOf, type RunState, type Tripwire, type WireError } from '@millrace/contracts';

/**
 * The published chunks that a stage rejected: those of its step or of the whole run; `from` is the first retracted
 * index.
 */
export type RejectedChunks = { what: 'step' | 'run'; from: number };
type RejectingChunks = { rejected?: RejectedChunks | undefined };

/** Everything of a run except its `start` chunk. */
export const rejectWholeRun = ({ firstIndex }: RunState): RejectedChunks => ({ what: 'run', from: firstIndex });

export type Ending =
  /** `unsaved`: memories with a deferred save. */
  | { form: 'finish'; finish: ChunkOf<'finish'>; unsaved?: readonly string[] }
  /** `answered`: a model has answered in this run, so that memory saves the conversation. */
  | ({
      form: 'halt';
      response: string;
      reason?: string | undefined;
      processorId: string;
      answered: boolean;
    } & RejectingChunks)
  | ({ form: 'tripwire'; tripwire: Tripwire } & RejectingChunks)
  /**
   * `ownWords`: the orchestrator worded the message and quotes no other source. Otherwise the message is untrusted
   * text; code, path and remedy are always the orchestrator's. `chainBroken`: the processors of the output stream
   * cannot be called any more, not even for this message.
   */
  | ({
      form: 'error';
      error: WireError;
      ownWords?: boolean | undefined;
      chainBroken?: boolean | undefined;
    } & RejectingChunks)
  | { form: 'cancel' };

/**
 * `suspend`: the run is suspended, its questions are in its state. `hand-over`: another orchestrator continues the run
 * from its last checkpoint.
 */
export type Interrupt =
  | Ending
  | { form: 'rewind'; to: 'input' | 'step'; feedback: string }
  | { form: 'suspend' }
  | { form: 'hand-over' };

/** The outcome of a run on this orchestrator. */
export type RunOutcome = Exclude<Interrupt, { form: 'rewind' }>;

/** The message may quote a processor, a provider or a user. */
export function fail(error: WireError, more: { chainBroken?: boolean } & RejectingChunks = {}): Ending {
  return { form: 'error', error, ...more };
}

export function failInOwnWords(error: WireError): Ending {
  return { form: 'error', error, ownWords: true };
}

/** Suspends the run; its questions are in its state. */
export const SUSPEND: RunOutcome = { form: 'suspend' };
export const isSuspension = ({ form }: Interrupt): boolean => form === 'suspend';

export const isEnding = (interrupt: Interrupt): interrupt is Ending =>
  interrupt.form !== 'rewind' && interrupt.form !== 'suspend' && interrupt.form !== 'hand-over';

/**
 * Converts a thrown error: a bug, or a bus that stays unreachable. Only its code and message are kept, because its
 * other members are untrusted.
 */
export function toBrokenEnding(error: unknown): Extract<Ending, { form: 'error' }> {
  const { code, message } = toWireError(error);
  return { form: 'error', error: { code, message } };
}

/** Adds the rejected chunks to an interrupt of the output chain. A retry opens the step again anyway. */
export function addRejected(interrupt: Interrupt, rejected: RejectedChunks): Interrupt {
  if (!isEnding(interrupt) || interrupt.form === 'cancel' || interrupt.form === 'finish') return interrupt;
  return { ...interrupt, rejected };
}
