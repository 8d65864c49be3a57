// Recognizes a refusal by the first sentences of an answer, in several languages. It misses refusals in other words or
// after a preface.
import { fold } from '../../text/fold.ts';

/** Length of the read text, in code units, because a refusal is at the start of an answer. */
const MAX_READ = 240;

const SORRY = String.raw`(?:i'?m|i am|we'?re|we are)?\s*(?:very |so |really |truly )?(?:sorry|afraid)`;
const UNABLE = String.raw`(?:can(?:no|')?t|can not|won'?t|will not|(?:a|')m not able to|am unable to|'m unable to|must decline|have to decline)`;
const HELP = String.raw`(?:help|assist|do that|comply|answer|provide|discuss|share|fulfil|continue|support|engage|create|write|generate)`;

const REFUSALS = [
  new RegExp(
    String.raw`^(?:${SORRY}[,.;: -]*(?:but )?)?(?:as an? (?:ai|language model|assistant)[^.]{0,60}[, ]+)?i ?${UNABLE}\b[^.]{0,40}\b${HELP}`,
    'i',
  ),
  new RegExp(String.raw`^${SORRY}[^.]{0,20}\bi ?${UNABLE}`, 'i'),
  /^as an? (?:ai|ai language model|language model)[^.]{0,60}\b(?:cannot|can't|not able|unable)\b/i,
  /^(?:es tut mir leid|tut mir leid|leider)[^.]{0,60}\bkann ich\b[^.]{0,60}\bnicht\b/i,
  /^ich kann (?:ihnen |dir )?(?:dabei|damit|dazu|das|diese[^.]{0,30})?[^.]{0,30}\bnicht (?:helfen|beantworten|weiterhelfen|unterstützen)/i,
  /^(?:je suis )?désolée?[^.]{0,40}\bje ne peux pas\b/i,
  /^je ne peux pas (?:vous |t')?(?:aider|répondre|fournir)/i,
  /^lo siento[^.]{0,40}\bno puedo\b/i,
  /^no puedo (?:ayudar|responder|proporcionar)/i,
  /^(?:mi dispiace|spiacente)[^.]{0,40}\bnon posso\b/i,
  /^(?:desculpe|lamento|sinto muito)[^.]{0,40}\bnão posso\b/i,
  /^(?:het spijt me|sorry)[^.]{0,40}\bkan ik\b[^.]{0,40}\bniet\b/i,
  /^(?:przykro mi|przepraszam)[^.]{0,40}\bnie mogę\b/i,
  /^(?:извините|простите|к сожалению)[^.]{0,40}не могу/i,
  /^(?:申し訳ありません|申し訳ございません|すみません)[^。]{0,40}(?:できません|お手伝いできません|お答えできません)/,
  /^(?:抱歉|对不起|很抱歉)[^。]{0,30}(?:不能|无法)/,
];

export function isRefusal(answer: string): boolean {
  const beginning = fold(answer.slice(0, MAX_READ)).replaceAll('’', "'").trimStart();
  return REFUSALS.some((pattern) => pattern.test(beginning));
}
