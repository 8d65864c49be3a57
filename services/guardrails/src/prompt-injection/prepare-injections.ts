// Judging as a task: all texts of a call have one budget.
import { createCounter } from '../guard/bounds.ts';
import type { PrepareJudge } from '../work/task-outcome.ts';
import { createJudge, type InjectionOptions } from './judge-text.ts';
import type { Judgement } from './signals.ts';

/** `from`: who speaks in the texts. */
export type InjectionTask = InjectionOptions & { from: 'user' | 'tool' };

export const prepareInjections: PrepareJudge<InjectionTask, Judgement> = ({ from, ...options }) => {
  const judge = createJudge(options);
  return (texts) => {
    const spend = createCounter('views');
    return texts.map((text) => judge(text, { from, spend }));
  };
};
