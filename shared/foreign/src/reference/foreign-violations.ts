// Attributes violations to calls: `onViolation` of a foreign processor is a member of an object that all runs share.
// The chain of promises identifies the call; the author's own callback is still called.
import { isObject } from '@millrace/contracts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { asJson, type CommonArgs } from '@millrace/processor';
import type { ForeignProcessor } from './reference-interface.ts';

type OnViolation = CommonArgs['onViolation'];

export type ForeignViolations = {
  /** Passes violations that are reported during `method` to `report`. */
  runDuring<T>(report: OnViolation, method: () => T): T;
  /** As the reference does for every stop. Never throws. */
  reportStop(reason: string, metadata: unknown): Promise<void>;
};

export function attributeViolations(processor: ForeignProcessor): ForeignViolations {
  const calls = new AsyncLocalStorage<OnViolation>();
  const own: unknown = processor.onViolation;
  const report = (violation: unknown): unknown => {
    const given = isObject(violation) ? violation : {};
    const detail: unknown = given['detail'];
    const strategy: unknown = isObject(detail) ? detail['strategy'] : undefined;
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
    runDuring: (report, method) => calls.run(report, method),
    async reportStop(message, detail) {
      try {
        await report({ processorId: processor.id, message, detail });
      } catch {
        // The result of an author's callback does not affect the verdict.
      }
    },
  };
}
