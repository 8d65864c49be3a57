// The stages that judge messages: processInput, processOutputStep, processToolResult, processOutputResult.
import type { MessageList } from '@millrace/processor';
import { createForeignCall, type Foreign, type StageBridge } from './foreign-call.ts';
import type { ToolResultSlot } from './foreign-message-list.ts';
import { withDates } from './foreign-messages.ts';
import { applyForeignMessages } from './foreign-results.ts';
import { toForeignSteps } from './foreign-steps.ts';
import { copyJson } from './json-values.ts';
import { listAll, listUntaggedSystem } from './system-messages.ts';

type MessageStages = Pick<
  StageBridge,
  'processInput' | 'processOutputStep' | 'processToolResult' | 'processOutputResult'
>;

export function createMessageStages(foreign: Foreign): MessageStages {
  return {
    async processInput(args) {
      const { messageList: list } = args;
      const call = createForeignCall(foreign, args, list);
      // Only the caller's messages: remembered ones were judged when they were stored. System messages are separate.
      const scope = withDates(buildInput(list));
      const result = await call.callMethod('processInput', {
        messages: [...scope],
        systemMessages: listUntaggedSystem(list),
      });
      return applyForeignMessages(result, { list, foreignList: call.list, scope, emptyMeansNone: false });
    },

    async processOutputStep(args) {
      const { messageList: list, finishReason, text, usage } = args;
      const call = createForeignCall(foreign, args, list);
      const scope = withDates(list.get.all.db());
      const result = await call.callMethod('processOutputStep', {
        messages: [...scope],
        systemMessages: listUntaggedSystem(list),
        steps: toForeignSteps(args.steps),
        toolCalls: structuredClone(args.toolCalls),
        finishReason,
        text,
        usage: { ...usage },
      });
      return applyForeignMessages(result, { list, foreignList: call.list, scope, emptyMeansNone: true });
    },

    /** Called for a failed tool too, unlike there: a guard that does not read the error's text would let it pass. */
    async processToolResult(args) {
      const { messageList: list, toolCall, result } = args;
      const { toolCallId, toolName } = toolCall;
      const slot: ToolResultSlot = { toolCallId };
      const call = createForeignCall(foreign, args, list, { slot });
      const scope = withDates(list.get.all.db());
      const returned = await call.callMethod('processToolResult', {
        messages: [...scope],
        systemMessages: listAll(list),
        steps: [],
        toolCallId,
        toolName,
        args: structuredClone(toolCall.args),
        result: structuredClone(result),
        providerExecuted: false,
      });
      applyForeignMessages(returned, { list, foreignList: call.list, scope, emptyMeansNone: true });
      return slot.changed && { result: copyJson(slot.changed.result ?? null, 'result') };
    },

    async processOutputResult(args) {
      const { messageList: list } = args;
      const call = createForeignCall(foreign, args, list);
      const scope = withDates(list.get.response.db());
      const result = await call.callMethod('processOutputResult', {
        messages: [...scope],
        result: { ...args.result, steps: toForeignSteps(args.result.steps) },
      });
      return applyForeignMessages(result, { list, foreignList: call.list, scope, emptyMeansNone: true });
    },
  };
}

function buildInput(list: MessageList) {
  return list.get.input.db().filter(({ id, role }) => list.readSource(id) === 'input' && role !== 'system');
}
