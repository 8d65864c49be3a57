// What takes a run off its straight way: it ends, or goes back to a place before. A statement of the loop gives one, or
// undefined: go on.
import type { ChunkOf, Tripwire, WireError } from '@millrace/contracts';

/** What the stage rejected after it was published: its step, or everything; `from` is the first index that is taken back. */
export type Rejected = { what: 'step' | 'run'; from: number };
type Rejecting = { rejected?: Rejected | undefined };

export type Ending =
  | { form: 'finish'; finish: ChunkOf<'finish'> }
  /** `answered`: a model has answered in this run, so that memory saves what was said. */
  | ({
      form: 'halt';
      response: string;
      reason?: string | undefined;
      processorId: string;
      answered: boolean;
    } & Rejecting)
  | ({ form: 'tripwire'; tripwire: Tripwire } & Rejecting)
  /** `chainBroken`: the output stream's processors cannot be asked any more, not even for the error. */
  | ({ form: 'error'; error: WireError; chainBroken?: boolean } & Rejecting)
  | { form: 'cancel' };

export type Interrupt = { kind: 'end'; ending: Ending } | { kind: 'rewind'; to: 'input' | 'step'; feedback: string };

export const endWith = (ending: Ending): Interrupt => ({ kind: 'end', ending });

export function fail(error: WireError, more: { chainBroken?: boolean } & Rejecting = {}): Interrupt {
  return endWith({ form: 'error', error, ...more });
}

/** What an interrupt rejects that the output chain gave for what its step has made. A retry opens the step again anyway. */
export function rejectStep(interrupt: Interrupt, from: number): Interrupt {
  if (interrupt.kind === 'rewind') return interrupt;
  const { ending } = interrupt;
  const rejected: Rejected = { what: 'step', from };
  return ending.form === 'cancel' || ending.form === 'finish' ? interrupt : endWith({ ...ending, rejected });
}
