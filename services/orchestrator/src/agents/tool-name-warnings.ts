// Warns about tool names in options that match none of the agent's tools: such a guard guards nothing. An option holds
// tool names if its schema says `format: tool-name`; "web-*" is a prefix. Pure.
import {
  TOOL_NAME_FORMAT,
  isObject,
  matchesToolName,
  type Issue,
  type JsonObject,
  type JsonValue,
  type Plan,
} from '@millrace/contracts';

/** Maximum number of warnings per entry. */
const MAX_WARNINGS = 20;

/** @param getSchema returns the schema of a processor's options */
export function warnToolNames(plan: Plan, getSchema: (processor: string) => JsonObject | undefined): Issue[] {
  const tools = plan.tools.map(({ name }) => name);
  return Object.values(plan.entries).flatMap(({ entry, processor, options }) => {
    const names = new Set(collectToolNames(getSchema(processor), options));
    const missing = [...names].filter((name) => !tools.some((tool) => matchesToolName([name], tool)));
    return missing.slice(0, MAX_WARNINGS).map((name): Issue => ({
      code: 'tool-name-without-tool',
      message: `"${entry}" names the tool "${name}", which this agent does not have.`,
      remedy: `Correct the name, or list the tool under tools: ${tools.join(', ') || 'the agent has none'}.`,
    }));
  });
}

/** "*" matches every tool, also of an agent without tools. */
function collectToolNames(schema: JsonValue | undefined, value: JsonValue | undefined): string[] {
  if (!isObject(schema) || value === undefined) return [];
  const branches = [schema['anyOf'], schema['oneOf']].flatMap((given) => (Array.isArray(given) ? given : []));
  const inside = branches.flatMap((branch) => collectToolNames(branch, value));
  if (typeof value === 'string') return schema['format'] === TOOL_NAME_FORMAT && value !== '*' ? [value] : inside;
  if (Array.isArray(value)) return [...inside, ...value.flatMap((item) => collectToolNames(schema['items'], item))];
  const { properties } = schema;
  if (!isObject(value) || !isObject(properties)) return inside;
  const members = Object.entries(value);
  return [...inside, ...members.flatMap(([name, member]) => collectToolNames(properties[name], member))];
}
