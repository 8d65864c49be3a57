// Which tools this question needs, and with which arguments. The plan depends on the conversation alone, so that every
// step of a run makes the same one: what has been called since the user spoke is done, whatever came of it.
import { lastUserText, sinceLastUser, type Conversation, type Tool } from '../conversation.ts';
import { parsedJson } from '../json.ts';
import type { ReplyCall } from '../reply.ts';
import { withoutScripts } from '../script/script-block.ts';
import { expressionsIn } from './arithmetic.ts';
import { fillSchema } from './fill-schema.ts';
import { calculatorAmong, clockAmong, namedTools, zoneField } from './offered-tools.ts';

const maxCallsPerQuestion = 8;

const timeQuestions = [
  /\bwhat(?:'s|s| is) (?:the |today's )?(?:current |local |exact )?(?:time|date|day)(?=\s*(?:[?.!]|$|now\b|right now\b|today\b|in\b|at\b))/i,
  /\b(?:what|which) (?:time|date|day)(?: of the week)? (?:is it|it is)\b/i,
  /\b(?:tell|give|show) me the (?:current |local )?(?:time|date)(?=\s*(?:[?.!]|$|now\b|in\b|at\b))/i,
  /\bcurrent (?:local )?(?:time|date)\b/i,
];

export const asksTheTime = (text: string): boolean => timeQuestions.some((question) => question.test(text));

/** The calls to make now: what the question needs and has not been called yet, one at a time if the caller wants that. */
export function dueCalls(conversation: Conversation): ReplyCall[] {
  const { turns, tools, toolChoice } = conversation;
  if (toolChoice === 'none' || tools.length === 0) return [];
  const planned = plannedCalls(conversation);
  const done = sinceLastUser(turns).flatMap((turn) => (turn.role === 'assistant' ? turn.toolCalls : []));
  const due = planned.filter(
    (call) => !done.some((one) => one.name === call.name && sameJson(one.arguments, call.arguments)),
  );
  if (due.length === 0 && toolChoice !== 'auto') return forcedCall(conversation, planned);
  return conversation.parallelToolCalls ? due : due.slice(0, 1);
}

function plannedCalls(conversation: Conversation): ReplyCall[] {
  const { tools, toolChoice } = conversation;
  const text = withoutScripts(lastUserText(conversation.turns));
  const calls: ReplyCall[] = [];

  const calculator = calculatorAmong(tools);
  if (calculator !== undefined) {
    for (const expression of expressionsIn(text)) {
      calls.push(filledCall(conversation, calculator.tool, calculator.field, expression));
    }
  }
  const clock = clockAmong(tools.filter((tool) => tool !== calculator?.tool));
  if (clock !== undefined && asksTheTime(text)) calls.push(clockCall(conversation, clock, text));

  for (const tool of namedTools(tools, text)) {
    if (!calls.some((call) => call.name === tool.name)) calls.push(filledCall(conversation, tool));
  }
  const allowed = typeof toolChoice === 'object' ? calls.filter((call) => call.name === toolChoice.name) : calls;
  return allowed.slice(0, maxCallsPerQuestion);
}

/** `tool_choice` demands a call where the question needs none: the same again, or the tool with what is known. */
function forcedCall(conversation: Conversation, planned: readonly ReplyCall[]): ReplyCall[] {
  const { tools, toolChoice } = conversation;
  if (planned.length > 0) return planned.slice(0, 1);
  const tool = typeof toolChoice === 'object' ? tools.find(({ name }) => name === toolChoice.name) : tools[0];
  return tool === undefined ? [] : [filledCall(conversation, tool)];
}

const clockCall = (conversation: Conversation, clock: Tool, text: string): ReplyCall =>
  filledCall(conversation, clock, zoneField(clock), timeZoneIn(text));

/** The IANA zone that the text names, or that is called after a city in it ("in Oslo"). */
function timeZoneIn(text: string): string | undefined {
  const zones = Intl.supportedValuesOf('timeZone');
  const lower = text.toLowerCase();
  const named = zones.find((zone) => lower.includes(zone.toLowerCase()));
  if (named !== undefined || /\bUTC\b/.test(text)) return named ?? 'UTC';
  return zones.find((zone) => {
    const city = zone
      .slice(zone.lastIndexOf('/') + 1)
      .replaceAll('_', ' ')
      .toLowerCase();
    return new RegExp(String.raw`\b(?:in|for|at)\s+${city}(?![\p{L}-])`, 'u').test(lower);
  });
}

/** The arguments are what is given and the question where there is room for it; memory has no part in them. */
function filledCall(conversation: Conversation, tool: Tool, field?: string, value?: string): ReplyCall {
  const question = withoutScripts(lastUserText(conversation.turns));
  const args = fillSchema(tool.parameters, (name) => {
    const asksForText = /^(?:query|question|input|prompt|text|message|q)$/i.test(name);
    const given = name === field && value !== undefined ? [value] : asksForText ? [question] : [];
    return { news: given, whole: given };
  });
  return { name: tool.name, arguments: JSON.stringify(args) };
}

const sameJson = (a: string, b: string): boolean =>
  a === b || JSON.stringify(parsedJson(a)) === JSON.stringify(parsedJson(b));
