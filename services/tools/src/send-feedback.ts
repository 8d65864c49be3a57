// The tool `send-feedback`: sends a message of the user to the operators of the assistant. It has an effect outside of
// the run, so the demo agent requires approval for it.
import { defineTool, type Tool } from '@millrace/processor';
import { z } from 'zod';

const MAX_TEXT_CHARS = 2_000;

const inputSchema = z.strictObject({
  text: z.string().min(1).max(MAX_TEXT_CHARS).describe('Text of the feedback.'),
});

export type Feedback = { tenant: string; runId: string; agent: string; text: string };

/** @param deliver called once per call */
export function createSendFeedback(deliver: (feedback: Feedback) => void): Tool {
  return defineTool({
    name: 'send-feedback',
    description:
      'Sends feedback of the user to the operators of this assistant. Use it only when the user asks for it.',
    inputSchema,
    effect: 'send',
    timeoutMs: 5_000,
    execute({ text }, { run }) {
      const { tenant, runId, agent } = run;
      deliver({ tenant, runId, agent, text });
      return { delivered: true };
    },
  });
}
