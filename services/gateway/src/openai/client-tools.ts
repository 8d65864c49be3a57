// Reads the tools of the client from a request of OpenAI's protocols: chat completions have the definition in a member,
// responses have it in the tool.
import { MillraceError, clientToolsSchema, isObject, listIssues, type RunRequest } from '@millrace/contracts';
import type { StartOptions } from '@millrace/client';

type ToolOptions = Pick<StartOptions, 'clientTools' | 'toolChoice' | 'parallelToolCalls'>;
type ClientToolsRequest = Readonly<Record<string, unknown>>;

/** Returns the options of a run; none if the request has no tools. @throws message-invalid, not-built-yet */
export function readClientTools(body: ClientToolsRequest): ToolOptions {
  const tools = body['tools'];
  if (tools === undefined || tools === null || (Array.isArray(tools) && tools.length === 0)) return {};
  if (!Array.isArray(tools)) throw createInputError('tools', '"tools" is not a list.');
  const parsed = clientToolsSchema.safeParse(tools.map(readTool));
  if (!parsed.success) {
    const [{ path = '', message } = { message: 'is invalid' }] = listIssues(parsed.error);
    throw createInputError('tools', `"tools" is invalid: ${path} ${message}.`);
  }
  const toolChoice = readChoice(body['tool_choice'], parsed.data);
  const parallel = body['parallel_tool_calls'];
  return {
    clientTools: parsed.data,
    ...(toolChoice !== undefined && { toolChoice }),
    ...(typeof parallel === 'boolean' && { parallelToolCalls: parallel }),
  };
}

function readTool(tool: unknown): object {
  if (!isObject(tool) || tool['type'] !== 'function') throw createGapError('tools', 'Only tools of type "function"');
  const { name, description, parameters, strict } = isObject(tool['function']) ? tool['function'] : tool;
  return {
    name,
    ...(typeof description === 'string' && { description }),
    ...(isObject(parameters) && { inputSchema: parameters }),
    ...(typeof strict === 'boolean' && { strict }),
  };
}

function readChoice(choice: unknown, tools: readonly { name: string }[]): RunRequest['toolChoice'] {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  if (!isObject(choice) || choice['type'] !== 'function')
    throw createGapError('tool_choice', 'Only "auto", "none", "required" and a function');
  const { name } = isObject(choice['function']) ? choice['function'] : choice;
  const tool = tools.find((one) => one.name === name);
  if (tool) return { type: 'tool', toolName: tool.name };
  throw createInputError('tool_choice', '"tool_choice" names no tool of the request.');
}

const createGapError = (path: string, subject: string): MillraceError =>
  new MillraceError('not-built-yet', `${subject} are supported.`, { path });
const createInputError = (path: string, message: string): MillraceError =>
  new MillraceError('message-invalid', message, { path });

/** The member of the protocol for each option of a run, for the errors of a submission. */
export const TOOL_PATHS: Readonly<Record<string, string>> = {
  clientTools: 'tools',
  toolChoice: 'tool_choice',
  parallelToolCalls: 'parallel_tool_calls',
};
