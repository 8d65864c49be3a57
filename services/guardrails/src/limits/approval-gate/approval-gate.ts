// approval-gate: suspends calls of the listed tools until they are approved. The agent's definition decides which
// clients may approve; this processor only defines the question.
import { SUSPENSION_LIMITS, cutArgs, findDenial, matchesToolName, type JsonValue } from '@millrace/contracts';
import { defineProcessor, type ProcessToolCallArgs, type ProcessToolCallResult } from '@millrace/processor';
import { z } from 'zod';
import { toolNamesSchema } from '../../guard/tool-names.ts';

const MAX_MESSAGE_CHARS = 2_000;

const options = z.strictObject({
  tools: toolNamesSchema
    .min(1)
    .default(['*'])
    .describe('Names of the tools that need approval. "web-*" matches a prefix, "*" matches every tool.'),
  message: z
    .string()
    .min(1)
    .max(MAX_MESSAGE_CHARS)
    .default('A tool call needs approval.')
    .describe('Message that approvers receive with the call.'),
  expiresInSeconds: z
    .number()
    .int()
    .positive()
    .max(SUSPENSION_LIMITS.maxSeconds)
    .default(SUSPENSION_LIMITS.defaultSeconds)
    .describe('Seconds until the suspension expires; the run then fails.'),
});
type ApprovalGateOptions = z.output<typeof options>;

/**
 * Suspends the run at a call of one of the tools until the call is approved or denied (`millrace runs approve`,
 * `deny`). The orchestrator judges all calls of an answer first and runs the calls that need no approval in the
 * meantime. An approved call is made with the arguments that were approved: the model is not called again. Put it last
 * in `input`, because a later processor could change the approved call.
 *
 * @verdict suspend: for each call of one of the tools, until it is decided
 * @verdict continue: an approved call, and calls of other tools
 * @verdict deny: a call that was denied, or resumed with anything but `approved: true`
 * @cannot Restrict approval to certain people: every client with the right to the verbs `suspended-list` and `resume`
 * can approve.
 * @cannot Ask the caller: use a tool such as `ask-user`.
 * @example
 * input:
 *   - pii
 *   - use: approval-gate
 *     options:
 *       tools: [pay, mail-*]
 *       message: Accounting decides.
 *       expiresInSeconds: 86400
 */
export const approvalGate = defineProcessor({
  id: 'approval-gate',
  description: 'Suspends the run at calls of the listed tools until they are approved.',
  aliases: ['ApprovalGate'],
  stages: ['processToolCall'],
  positions: { input: 620 },
  reads: [],
  options,
  create: (chosen) => ({ id: 'approval-gate', processToolCall: (args) => awaitApproval(chosen, args) }),
});

function awaitApproval(chosen: ApprovalGateOptions, args: ProcessToolCallArgs): ProcessToolCallResult {
  const { toolCall, resumeData } = args;
  if (!matchesToolName(chosen.tools, toolCall.toolName)) return undefined;
  if (resumeData !== undefined) return decide(args, resumeData);
  const { message, expiresInSeconds } = chosen;
  args.suspend({ message, toolName: toolCall.toolName, args: cutArgs(toolCall.args) }, { expiresInSeconds });
}

function decide(args: ProcessToolCallArgs, resumeData: JsonValue): ProcessToolCallResult {
  const reason = findDenial(resumeData);
  if (reason === undefined) return undefined;
  const rule = 'not-approved';
  args.onViolation({ message: 'A tool call was not approved.', rule, strategy: 'deny' });
  return { deny: true, reason, code: rule };
}
