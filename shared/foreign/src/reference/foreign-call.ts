// What every method of the reference interface is given, made of what every method here is given; and the call of one method, with the stop,
// the violations and the message list that belong to it.
import type { CommonArgs, MessageList, Processor } from '@millrace/processor';
import { createForeignList, type ToolResultSlot } from './foreign-message-list.ts';
import { withoutDates } from './foreign-messages.ts';
import { ForeignRequestContext } from './foreign-request-context.ts';
import type { ForeignViolations } from './foreign-violations.ts';
import { createHeldStop } from './held-stop.ts';
import type { ForeignProcessor, ForeignStage } from './reference-interface.ts';

export type Foreign = { processor: ForeignProcessor; violations: ForeignViolations };

/** A method of ours for each of theirs. What they return the runtime reads, and refuses where it does not fit. */
export type StageBridge = {
  [S in ForeignStage]: (args: Parameters<NonNullable<Processor[S]>>[0]) => Promise<unknown>;
};

export type ForeignCall = {
  /** The MessageList that is handed over: only this very one may be returned. */
  list: object;
  /** What the method returns. @throws a stop that was asked for, whatever it returned */
  method(stage: ForeignStage, args: object): Promise<unknown>;
};

export type CallOptions = { slot?: ToolResultSlot };

/** @param messageList absent: the stage has none */
export function createForeignCall(
  { processor, violations }: Foreign,
  common: CommonArgs,
  messageList?: MessageList,
  { slot }: CallOptions = {},
): ForeignCall {
  const stop = createHeldStop(common, processor.id, (reason, metadata) => violations.ofStop(reason, metadata));
  const list = messageList ? createForeignList(messageList, stop.refuse, slot) : {};
  const { trace } = common.tracingContext;
  const shared = {
    abort: stop.abort,
    retryCount: common.retryCount,
    stepNumber: common.stepNumber,
    processorIndex: common.processorIndex,
    runId: common.run.runId,
    state: common.state,
    requestContext: new ForeignRequestContext(common),
    tracingContext: trace ? { trace } : {},
    abortSignal: common.abortSignal,
    writer: { custom: common.writer.custom },
    ...(messageList && { messageList: list }),
  };
  return {
    list,
    async method(stage, args) {
      const own: unknown = processor[stage];
      if (typeof own !== 'function') return undefined;
      try {
        return await violations.during(common.onViolation, () =>
          stop.settle(() => Reflect.apply(own, processor, [{ ...shared, ...args }])),
        );
      } finally {
        // What is compared and sent from here on is ours.
        if (messageList) withoutDates(messageList.get.all.db());
      }
    },
  };
}
