// The tool `send-feedback`: a word of the user to the people who run the assistant. It has an effect outside of the run, and so is one that
// the demo agent lets wait for approval.
import { defineTool, type Tool } from '@millrace/processor';
import { z } from 'zod';

const MAX_TEXT_CHARS = 2_000;

const inputSchema = z.strictObject({
  text: z.string().min(1).max(MAX_TEXT_CHARS).describe('what the user wants to say'),
});

export type Feedback = { tenant: string; runId: string; agent: string; text: string };

/** @param deliver called once for each call that is made */
export function createSendFeedback(deliver: (feedback: Feedback) => void): Tool {
  return defineTool({
    name: 'send-feedback',
    description:
      'Sends feedback of the user to the people who run this assistant. Use it only when the user asks for it.',
    inputSchema,
    timeoutMs: 5_000,
    execute({ text }, { run }) {
      const { tenant, runId, agent } = run;
      deliver({ tenant, runId, agent, text });
      return { delivered: true };
    },
  });
}
