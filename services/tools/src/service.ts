// Defines the service tools, the host of the tools that ship with Millrace.
import { processorService } from '@millrace/processor';
import { z } from 'zod';
import { calculator } from './calculator/calculator.ts';
import { askUser } from './ask-user.ts';
import { createClock } from './clock.ts';
import { openMcpTools } from './mcp/mcp-tools.ts';
import { createSendFeedback } from './send-feedback.ts';

const configSchema = z.object({
  MCP_SERVERS: z.string().optional().describe('path of the JSON file with MCP servers and their accepted tools'),
});

export const toolsService = processorService({
  name: 'tools',
  version: '0.1.0',
  description: 'Tools for models: a calculator, a clock, a question to the user, feedback.',
  tools: [calculator, createClock(() => new Date()), askUser],
  config: configSchema,
  async open({ log, config: { MCP_SERVERS: file }, resources, watchParts }) {
    const feedback = createSendFeedback((given) => log.info({ feedback: given }, 'feedback of a user'));
    const mounted =
      file === undefined ? [] : await openMcpTools({ file, env: process.env, log, resources, watchParts });
    return { tools: [feedback, ...mounted] };
  },
});
