// Answers a call without a script from the canned exchanges: every exchange that matches the last user text adds its tool call
// or its sentence. Deterministic: the same call gets the same answer.
import { findLastUserText, sliceSinceLastUser, type ModelConversation } from '../conversation.ts';
import { buildPlainReply, type ModelReply, type ReplyCall } from '../reply.ts';
import { stripScripts } from '../script/script-block.ts';
import { buildEmptiestValue, buildStructuredValue } from '../structured/structured-value.ts';
import { EXCHANGES, type Exchange } from './exchanges.ts';

type Groups = { readonly [name: string]: string | undefined };
/** An exchange that matches the last user text, with the groups of its match. */
type Match = { readonly exchange: Exchange; readonly groups: Groups };

const MAX_SUBJECT_CHARACTERS = 80;
const ABOUT =
  "I am Millrace's development stand-in, not a language model: I know a dozen canned exchanges. Set OPENAI_API_KEY to talk to a real one.";

export function findCannedReply(conversation: ModelConversation): ModelReply {
  const matches = matchExchanges(stripScripts(findLastUserText(conversation.turns)));
  const calls = listDueCalls(conversation, matches);
  if (calls.length > 0) return buildPlainReply('', calls);
  const { format } = conversation;
  if (format.type === 'json_schema') {
    return buildPlainReply(JSON.stringify(buildStructuredValue(format.schema, collectKnownFields(matches))));
  }
  const text = answerText(conversation, matches);
  return buildPlainReply(format.type === 'text' ? text : JSON.stringify({ answer: text }));
}

/** Skips the assistant's lines of a transcript that a memory sends for extraction. */
function matchExchanges(text: string): Match[] {
  const ofUser = text.replaceAll(/^assistant:.*$/gim, '');
  return EXCHANGES.flatMap((exchange) => {
    const groups = findLastGroups(exchange.user, ofUser);
    return groups === undefined ? [] : [{ exchange, groups }];
  });
}

/** The named groups of the last match, or undefined without a match. */
function findLastGroups(pattern: RegExp, text: string): Groups | undefined {
  const last = [...text.matchAll(pattern)].at(-1);
  return last && { ...last.groups };
}

const fillTemplate = (template: string, groups: Groups): string =>
  template.replaceAll(/\{(\w+)\}/g, (_, name: string) => groups[name] ?? '');

const collectKnownFields = (matches: readonly Match[]): ReadonlyMap<string, string> =>
  new Map(
    matches.flatMap(({ exchange, groups }) =>
      Object.entries(exchange.fields).map(([name, template]) => [name, fillTemplate(template, groups)] as const),
    ),
  );

/** Returns the calls that this question needs and that no earlier step made; one at a time without parallel calls. */
function listDueCalls(conversation: ModelConversation, matches: readonly Match[]): ReplyCall[] {
  const { turns, tools, toolChoice } = conversation;
  if (toolChoice === 'none' || tools.length === 0) return [];
  const allowed = typeof toolChoice === 'object' ? tools.filter(({ name }) => name === toolChoice.name) : tools;
  const planned = matches.flatMap(({ exchange: { call }, groups }) => {
    if (call === undefined || !allowed.some(({ name }) => name === call.tool)) return [];
    const args = Object.entries(call.args).map(([name, template]) => [name, fillTemplate(template, groups)]);
    return [{ name: call.tool, arguments: JSON.stringify(Object.fromEntries(args)) }];
  });
  const made = sliceSinceLastUser(turns).flatMap((turn) => (turn.role === 'assistant' ? turn.toolCalls : []));
  const due = planned.filter(({ name }) => !made.some((call) => call.name === name));
  if (due.length === 0 && toolChoice !== 'auto') {
    const [tool] = allowed;
    const forced = tool && { name: tool.name, arguments: JSON.stringify(buildEmptiestValue(tool.parameters)) };
    return [planned[0] ?? forced ?? []].flat();
  }
  return conversation.parallelToolCalls ? due : due.slice(0, 1);
}

function answerText({ turns }: ModelConversation, matches: readonly Match[]): string {
  const text = stripScripts(findLastUserText(turns));
  const answers = [
    ...matches.filter(({ exchange }) => !exchange.call).map((match) => answerFromMemory(match, turns)),
    ...matches.filter(({ exchange }) => exchange.call).map((match) => answerFromTool(match, turns)),
  ];
  if (answers.length > 0) return answers.join(' ');
  const subject = Array.from(text.replaceAll(/\s+/g, ' ').trim()).slice(0, MAX_SUBJECT_CHARACTERS).join('');
  return subject === '' ? ABOUT : `I have no answer to "${subject}". ${ABOUT}`;
}

function answerFromMemory({ exchange, groups }: Match, turns: ModelConversation['turns']): string {
  if (exchange.memory === undefined) return fillTemplate(exchange.text, groups);
  const remembered = turns.flatMap(({ role, text }) =>
    role === 'system' || role === 'user' ? [stripScripts(text)] : [],
  );
  const found = findLastGroups(exchange.memory, remembered.join('\n'));
  if (found === undefined) return exchange.otherwise ?? ABOUT;
  return fillTemplate(exchange.text, { ...groups, ...found });
}

function answerFromTool({ exchange, groups }: Match, turns: ModelConversation['turns']): string {
  const tool = exchange.call?.tool ?? '';
  const recent = sliceSinceLastUser(turns);
  const made = recent.flatMap((turn) => (turn.role === 'assistant' ? turn.toolCalls : []));
  const id = made.findLast(({ name }) => name === tool)?.id;
  const result = recent.find((turn) => turn.role === 'tool' && turn.callId === id)?.text;
  if (result === undefined) return `The answer needs the tool "${tool}", which the caller did not offer.`;
  const found = exchange.call && findLastGroups(exchange.call.result, result);
  return found ? fillTemplate(exchange.text, { ...groups, ...found }) : `The tool "${tool}" failed: ${result}`;
}
