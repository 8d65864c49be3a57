// Defines a tool for tests with an optional text as input and the given function.
import { z } from 'zod';
import { defineTool, type Tool } from '../tools/tool-definition.ts';

export function testTool(name: string, execute: Tool['execute'], more: Partial<Tool> = {}): Tool {
  const inputSchema = z.strictObject({ text: z.string().optional() });
  return defineTool({ name, description: `the tool ${name}`, inputSchema, execute, ...more });
}
