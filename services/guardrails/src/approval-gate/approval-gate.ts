// approval-gate: calls of some tools wait for somebody to approve them. Whoever that is, it is not the caller: the agent's definition
// decides that, and this processor says only what it asks.
import type { JsonValue } from '@millrace/contracts';
import { SUSPENSION_LIMITS } from '@millrace/contracts';
import { defineProcessor, type ProcessToolCallArgs, type ProcessToolCallResult } from '@millrace/processor';
import { z } from 'zod';

const MAX_NAMES = 1_000;
const MAX_MESSAGE_CHARS = 2_000;
/** Characters of JSON up to which the payload holds the arguments; the suspension holds all of them separately. */
const MAX_SHOWN_CHARS = 16 * 1024;
/** Characters of longer arguments in the payload. As a string inside of JSON, quotation marks and backslashes take two characters each. */
const MAX_CUT_CHARS = MAX_SHOWN_CHARS / 2;
const MAX_REASON_CHARS = 500;

const options = z.strictObject({
  tools: z
    .array(z.string().min(1).max(200))
    .min(1)
    .max(MAX_NAMES)
    .default(['*'])
    .describe('the tools whose calls wait, by name; "web-*" for all that begin so, "*" for all'),
  message: z
    .string()
    .min(1)
    .max(MAX_MESSAGE_CHARS)
    .default('A tool call waits for approval.')
    .describe('what whoever approves is told, beside the call'),
  expiresInSeconds: z
    .number()
    .int()
    .positive()
    .max(SUSPENSION_LIMITS.maxSeconds)
    .default(SUSPENSION_LIMITS.defaultSeconds)
    .describe('how long a decision is waited for; the run fails then'),
});
type Options = z.output<typeof options>;

/**
 * A call of one of the tools puts the run away until somebody has approved or denied it (`millrace runs approve`, `deny`). All calls of
 * an answer are judged first, and those that need no approval run meanwhile. The approved call is made as it was asked for: the model is not asked
 * again. Put it last in `input`: what comes after it could change what was approved.
 *
 * @verdict suspend: for each call of one of the tools, until it is decided
 * @verdict continue: an approved call, and calls of other tools
 * @verdict deny: a call that was denied, or answered with anything but `approved: true`
 * @cannot Say who may approve: that is the right to the verbs `suspended-list` and `resume`.
 * @cannot Ask the caller: a question is a tool's, such as `ask-user`.
 * @example
 * input:
 *   - pii
 *   - use: approval-gate
 *     options:
 *       tools: [pay, mail-*]
 *       message: Somebody of accounting decides.
 *       expiresInSeconds: 86400
 */
export const approvalGate = defineProcessor({
  id: 'approval-gate',
  description: 'Lets calls of some tools wait until somebody has approved them.',
  aliases: ['ApprovalGate'],
  stages: ['processToolCall'],
  reads: [],
  options,
  create: (chosen) => ({ id: 'approval-gate', processToolCall: (args) => awaitApproval(chosen, args) }),
});

function awaitApproval(chosen: Options, args: ProcessToolCallArgs): ProcessToolCallResult {
  const { toolCall, resumeData } = args;
  if (!chosen.tools.some((wanted) => isNamed(wanted, toolCall.toolName))) return undefined;
  if (resumeData !== undefined) return decide(args, resumeData);
  const { message, expiresInSeconds } = chosen;
  args.suspend({ message, toolName: toolCall.toolName, args: shown(toolCall.args) }, { expiresInSeconds });
}

const isNamed = (wanted: string, name: string): boolean =>
  wanted.endsWith('*') ? name.startsWith(wanted.slice(0, -1)) : wanted === name;

const shown = (args: JsonValue): JsonValue => {
  const text = JSON.stringify(args);
  return text.length <= MAX_SHOWN_CHARS ? args : `${text.slice(0, MAX_CUT_CHARS).toWellFormed()}…`;
};

/** Whatever is no approval denies: what the answer was to be is nobody's to guess. */
const decisionSchema = z.object({ approved: z.boolean(), reason: z.string().optional() });

function decide(args: ProcessToolCallArgs, resumeData: JsonValue): ProcessToolCallResult {
  const decision = decisionSchema.safeParse(resumeData).data;
  if (decision?.approved) return undefined;
  const rule = 'not-approved';
  args.onViolation({ message: 'A tool call was not approved.', rule, strategy: 'deny' });
  const reason = decision?.reason?.slice(0, MAX_REASON_CHARS);
  return { deny: true, reason: reason ? `Not approved: ${reason}` : 'Not approved.', code: rule };
}
