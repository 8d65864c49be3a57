// `onViolation` of a foreign processor is a member of the object that all runs share. What it reports is attributed to the call in which it
// was reported, by the chain of promises that leads there; what the author has put there is still called.
import { AsyncLocalStorage } from 'node:async_hooks';
import { asJson, type CommonArgs } from '@millrace/processor';
import { isRecord } from './json-values.ts';
import type { ForeignProcessor } from './reference-interface.ts';

type OnViolation = CommonArgs['onViolation'];

export type ForeignViolations = {
  /** What is reported inside of `method` is told to `report`. */
  during<T>(report: OnViolation, method: () => T): T;
  /** As the reference does for every stop. Never throws. */
  ofStop(reason: string, metadata: unknown): Promise<void>;
};

export function attributeViolations(processor: ForeignProcessor): ForeignViolations {
  const calls = new AsyncLocalStorage<OnViolation>();
  const own: unknown = processor.onViolation;
  const report = (violation: unknown): unknown => {
    const given = isRecord(violation) ? violation : {};
    const detail: unknown = given['detail'];
    const strategy: unknown = isRecord(detail) ? detail['strategy'] : undefined;
    const { message } = given;
    calls.getStore()?.({
      message: typeof message === 'string' ? message : '',
      ...(typeof strategy === 'string' && { strategy }),
      ...(detail !== undefined && { detail: asJson(detail) }),
    });
    return typeof own === 'function' ? Reflect.apply(own, processor, [violation]) : undefined;
  };
  // A frozen object has nowhere to report to; its stops are reported all the same.
  Reflect.set(processor, 'onViolation', report);
  return {
    during: (report, method) => calls.run(report, method),
    async ofStop(message, detail) {
      try {
        await report({ processorId: processor.id, message, detail });
      } catch {
        // What an author does on a violation is no part of the verdict.
      }
    },
  };
}
