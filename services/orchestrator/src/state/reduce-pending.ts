// Folds the actions on the questions of a run. Pure.
import type { HeldPending, RunAction } from '@millrace/contracts';

type PendingAction = Extract<
  RunAction,
  { action: 'suspended' | 'pending-told' | 'pending-resumed' | 'pending-settled' }
>;

export function reducePending(pending: readonly HeldPending[], action: PendingAction): HeldPending[] {
  switch (action.action) {
    case 'suspended':
      return [...pending, action.pending];
    case 'pending-settled':
      return pending.filter(({ id }) => id !== action.id);
    case 'pending-told': {
      const { id, payload } = action;
      const asked = payload === undefined ? {} : { payload };
      return pending.map((one) => (one.id === id ? { ...one, told: asked } : one));
    }
    case 'pending-resumed': {
      const { id, data, edited } = action;
      const resumed = { data, ...(edited && { edited }) };
      return pending.map((one) => (one.id === id ? { ...one, resumed } : one));
    }
  }
}
