// Checks an approval with edited arguments before it is stored. The run checks the arguments again, with the tools of its
// step, and every entry of processToolCall judges them.
import {
  MillraceError,
  findDenial,
  type EditedAnswer,
  type OpenPending,
  type ToolDefinition,
} from '@millrace/contracts';
import { findSchemaProblems } from '../peers/json-schema.ts';

/** @throws message-invalid, tool-arguments-invalid */
export function refuseBadEdit(
  { data, args }: EditedAnswer,
  { kind, stage, toolCall }: OpenPending,
  tools: readonly ToolDefinition[],
): void {
  if (kind !== 'approval' || stage !== 'processToolCall' || !toolCall)
    throw new MillraceError(
      'message-invalid',
      'Only the approval of a call that has not begun has arguments to edit.',
      {
        path: 'edited',
        remedy: 'Leave the arguments out.',
      },
    );
  if (findDenial(data) !== undefined)
    throw new MillraceError('message-invalid', 'An answer with edited arguments approves the call.', {
      path: 'edited.data',
      remedy: 'Send {"approved": true}, or deny the call without arguments.',
    });
  const tool = tools.find(({ name }) => name === toolCall.toolName);
  const problems = tool ? findSchemaProblems(tool.inputSchema, args) : [];
  if (problems.length === 0) return;
  const lines = problems.map(({ path, message }) => `${path || 'arguments'} ${message}`).join('; ');
  throw new MillraceError(
    'tool-arguments-invalid',
    `The edited arguments do not match the schema of ${toolCall.toolName}: ${lines}`,
    {
      path: `edited.args${problems[0]?.path ?? ''}`,
      remedy: 'Correct the arguments, and send the approval again.',
    },
  );
}
