// A stage's control flow: undefined continues; an interrupt ends the run, or goes back to a place before.
import { toWireError, type ChunkOf, type RunState, type Tripwire, type WireError } from '@millrace/contracts';

/** What the stage rejected after it was published: its step, or everything; `from` is the first index that is taken back. */
export type Rejected = { what: 'step' | 'run'; from: number };
type Rejecting = { rejected?: Rejected | undefined };

/** Everything of a run but its `start` chunk. */
export const wholeRun = ({ firstIndex }: RunState): Rejected => ({ what: 'run', from: firstIndex });

export type Ending =
  /** `unsaved`: memories that save later. */
  | { form: 'finish'; finish: ChunkOf<'finish'>; unsaved?: readonly string[] }
  /** `answered`: a model has answered in this run, so that memory saves what was said. */
  | ({
      form: 'halt';
      response: string;
      reason?: string | undefined;
      processorId: string;
      answered: boolean;
    } & Rejecting)
  | ({ form: 'tripwire'; tripwire: Tripwire } & Rejecting)
  /**
   * `ownWords`: the orchestrator worded the message, without a word of anybody else. Otherwise it is untrusted text; code, path and
   * remedy are the orchestrator's always. `chainBroken`: the output stream's processors cannot be asked any more, not even for it.
   */
  | ({ form: 'error'; error: WireError; ownWords?: boolean | undefined; chainBroken?: boolean | undefined } & Rejecting)
  | { form: 'cancel' };

/** `suspend`: the run is put away; what it waits for stands in its state. `hand-over`: another orchestrator goes on with the run, from its last checkpoint. */
export type Interrupt =
  | { kind: 'end'; ending: Ending }
  | { kind: 'rewind'; to: 'input' | 'step'; feedback: string }
  | { kind: 'suspend' }
  | { kind: 'hand-over' };

/** What becomes of a run here. */
export type Outcome = Exclude<Interrupt, { kind: 'rewind' }>;

export const endWith = (ending: Ending): Outcome => ({ kind: 'end', ending });

/** The message may hold words of a processor, a provider or a user. */
export function fail(error: WireError, more: { chainBroken?: boolean } & Rejecting = {}): Outcome {
  return endWith({ form: 'error', error, ...more });
}

export function failInOwnWords(error: WireError): Outcome {
  return endWith({ form: 'error', error, ownWords: true });
}

/** The run is put away: what it waits for stands in its state. */
export const SUSPEND: Outcome = { kind: 'suspend' };
export const isSuspension = ({ kind }: Interrupt): boolean => kind === 'suspend';

/** What was thrown: a bug, or a bus that stays away. What else the error says may be anybody's. */
export function brokenBy(error: unknown): Extract<Ending, { form: 'error' }> {
  const { code, message } = toWireError(error);
  return { form: 'error', error: { code, message } };
}

/** What an interrupt rejects that the output chain gave. A retry opens the step again anyway. */
export function rejecting(interrupt: Interrupt, rejected: Rejected): Interrupt {
  if (interrupt.kind !== 'end') return interrupt;
  const { ending } = interrupt;
  return ending.form === 'cancel' || ending.form === 'finish' ? interrupt : endWith({ ...ending, rejected });
}
