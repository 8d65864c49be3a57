// Stops consequential tool calls while untrusted content is in the run: after the last entry of processToolCall, on the
// final arguments. No policy, override or skipped guard disables it; the agent's `tools` decide for each tool.
import {
  cutArgs,
  findDenial,
  pickCall,
  type PlacedCall,
  type PlacedResult,
  type WhenUntrusted,
} from '@millrace/contracts';
import type { ResumePoint } from '../stages/suspend-stage.ts';
import { askPending } from '../state/pending.ts';
import type { Run } from '../state/run-context.ts';
import { isRunTainted, listTaintOrigins } from '../state/run-labels.ts';

/** Code of the denial, and name of the asking party in the suspension. */
const UNTRUSTED = 'untrusted-content';
/** Maximum number of origins in a question and in an event. */
const MAX_ORIGINS = 16;

export type UntrustedCall = { call: PlacedCall } | { denied: PlacedResult } | { waits: true };

/** @param call with its final arguments */
export function judgeUntrusted(run: Run, call: PlacedCall): UntrustedCall {
  const rule = findRule(run, call.toolName);
  if (rule === 'allow' || !isRunTainted(run.getState())) return { call };
  const origins = listTaintOrigins(run.getState()).slice(0, MAX_ORIGINS);
  const { toolName, toolCallId, position } = call;
  const step = run.getState().steps.length;
  run.events.record({ event: 'untrusted-call', step, tool: toolName, toolCallId, position, decision: rule, origins });
  if (rule === 'deny')
    return denyCall(call, `${toolName} is not called while untrusted content (${origins.join(', ')}) is in the run.`);
  const message = `${toolName} is to be called after the model has read untrusted content.`;
  askPending(run, {
    by: UNTRUSTED,
    kind: 'approval',
    policy: 'untrusted',
    stage: 'processToolCall',
    toolCall: pickCall(call),
    position,
    kept: {},
    payload: { message, toolName, args: cutArgs(call.args), origins },
  });
  return { waits: true };
}

/** A tool that a processor added has no rule, and its own description of its effect does not count. */
function findRule({ plan: { toolRules } }: Run, tool: string): WhenUntrusted {
  if (!toolRules) return 'allow';
  return (Object.hasOwn(toolRules, tool) ? toolRules[tool]?.whenUntrusted : undefined) ?? 'approve';
}

/** Applies the answer to the question. The call is made with the arguments that were approved. */
export function settleUntrusted(run: Run, { id, resumed }: ResumePoint, call: PlacedCall): UntrustedCall {
  const approved = run.getState().pending.find((one) => one.id === id)?.toolCall;
  run.dispatch({ action: 'pending-settled', id });
  const final = { ...call, ...approved };
  const reason = findDenial(resumed.data);
  return reason === undefined ? { call: final } : denyCall(final, reason);
}

const denyCall = (call: PlacedCall, reason: string): UntrustedCall => ({
  denied: { ...call, result: { denied: true, reason, code: UNTRUSTED }, isError: true, denied: true },
});
