// Builds the arguments of the reference interface from ours, and calls one method with its stop, its violations and its
// message list.
import type { CommonArgs, MessageList, Processor } from '@millrace/processor';
import { createForeignList, type ToolResultSlot } from './foreign-message-list.ts';
import { omitDates } from './foreign-messages.ts';
import { ForeignRequestContext } from './foreign-request-context.ts';
import type { ForeignViolations } from './foreign-violations.ts';
import { createHeldStop } from './enforce-stop.ts';
import type { ForeignProcessor, ForeignStage } from './reference-interface.ts';

export type Foreign = { processor: ForeignProcessor; violations: ForeignViolations };

/** One of our methods for each of theirs. The runtime validates their return values. */
export type StageBridge = {
  [S in ForeignStage]: (args: Parameters<NonNullable<Processor[S]>>[0]) => Promise<unknown>;
};

export type ForeignCall = {
  /** The MessageList that is handed over: only this very one may be returned. */
  list: object;
  /** Returns the method's result. @throws a requested stop, for any result of the method */
  callMethod(stage: ForeignStage, args: object): Promise<unknown>;
};

export type ForeignCallOptions = { slot?: ToolResultSlot };

/** @param messageList absent: the stage has none */
export function createForeignCall(
  { processor, violations }: Foreign,
  common: CommonArgs,
  messageList?: MessageList,
  { slot }: ForeignCallOptions = {},
): ForeignCall {
  const stop = createHeldStop(common, processor.id, (reason, metadata) => violations.reportStop(reason, metadata));
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
    async callMethod(stage, args) {
      const own: unknown = processor[stage];
      if (typeof own !== 'function') return undefined;
      try {
        return await violations.runDuring(common.onViolation, () =>
          stop.settle(() => Reflect.apply(own, processor, [{ ...shared, ...args }])),
        );
      } finally {
        // From here on our form is compared and sent.
        if (messageList) omitDates(messageList.get.all.db());
      }
    },
  };
}
