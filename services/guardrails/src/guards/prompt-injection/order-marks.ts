// Patterns of links that exfiltrate the conversation, and of orders about the answer or to the assistant.
import type { WordMark } from './mark.ts';

/** Links that load when they are rendered, with a parameter for exfiltrated data. */
export const LINKS: readonly WordMark[] = [
  {
    id: 'exfiltration',
    aim: 'exfiltrate',
    weight: 'strong',
    needs: ['://'],
    pattern: /!\[[^\]\n]{0,200}\]\(\s{0,4}https?:\/\/[^)\s{<[]{1,300}[?=/&][{<[]/gi,
  },
  {
    id: 'exfiltration',
    aim: 'exfiltrate',
    weight: 'strong',
    needs: ['://'],
    pattern:
      /https?:\/\/[^\s)"'<>]{1,300}[?&](?:q|data|secret|prompt|history|conversation|chat|msg|summary|info|content|exfil|leak|d|c|log)=(?:\{|\[|<|%7b|%5b|\$)\s{0,2}[\w ]{0,60}(?:prompt|conversation|history|secret|password|summary|message|chat|data|key|token|info|user|content)/gi,
  },
];

/** The verb, not the noun. */
const answer = String.raw`(?:say|reply|respond|(?<!\b(?:the|an|its|his|her|their|final|correct|no)\s)answer|output|print|write|return|echo|state|type|display)`;
const only = '(?:only|just|exactly|simply|solely|nothing but|precisely|nothing except|nothing other than)';
const ANSWER_WORDS = [
  'say',
  'reply',
  'respond',
  'answer',
  'output',
  'print',
  'write',
  'return',
  'echo',
  'state',
  'type',
  'display',
];
const ONLY_WORDS = ['only', 'just', 'exactly', 'simply', 'solely', 'nothing', 'precisely'];
/** Names of an addressed assistant, or their first words. */
const NAMES = ['llm', 'ai', 'chatgpt', 'gpt', 'claude', 'gemini', 'copilot', 'language', 'chatbot'];
/** An apostrophe inside a word is not a quotation mark. */
const quoted = String.raw`(?:["\u201c]|(?<!\w)[\u2018'])[^"\u201d\u2019'\n]{1,60}(?:["\u201d]|[\u2019'](?!\w))`;
const notAChoice = String.raw`(?!\s{0,2}(?:or|,|\/|if|when|and|for|\())`;

/** Orders to answer with fixed words for any question, and identifiers for a program among words for people. */
export const ORDERS: readonly WordMark[] = [
  {
    id: 'forced-answer',
    aim: 'answer',
    weight: 'medium',
    firstWords: ANSWER_WORDS,
    pattern: new RegExp(`\\b${answer}\\b[^.\\n"]{0,30}\\b${only}\\b[^.\\n"]{0,40}${quoted}${notAChoice}`, 'gi'),
  },
  {
    id: 'forced-answer',
    aim: 'answer',
    weight: 'weak',
    firstWords: ONLY_WORDS,
    pattern: new RegExp(`\\b${only}\\b[^.\\n"]{0,20}\\b${answer}\\b[^.\\n"]{0,40}${quoted}${notAChoice}`, 'gi'),
  },
  {
    id: 'assistant-addressed',
    aim: 'assistant',
    weight: 'strong',
    where: 'tool',
    firstWords: NAMES.flatMap((name) => [name, `${name}s`]),
    before: 5,
    pattern:
      /(?:^|[.!?:;>-]\s{0,3}|["'(])(?:@)?(?:llm|ai|chatgpt|gpt|claude|gemini|copilot|ai assistant|ai agent|language model|chatbot)s?\s{0,2}[,:]\s{0,2}(?:please|you|do|ignore|rate|say|tell|make|add|include|mention|always|never|send|stop|report|respond|answer|write|recommend|call|forward|set|mark|state|give|treat|use)/gim,
  },
  {
    id: 'assistant-addressed',
    aim: 'assistant',
    weight: 'medium',
    where: 'tool',
    firstWords: ['whoever', 'anyone', 'any', 'the', 'automated'],
    pattern:
      /\b(?:whoever|anyone who|any system that|the (?:system|bot|program|tool|script|model|agent) that|automated (?:system|tool|agent|reader|assistant)s?)\b[^.\n]{0,30}\b(?:summari[sz]es?|reads?|process(?:es)?|handles?|parses?|analy[sz]es?|scans?)/gi,
  },
  {
    id: 'goods-carried',
    aim: 'exfiltrate',
    weight: 'medium',
    needs: ['://'],
    firstWords: [
      'send',
      'post',
      'upload',
      'forward',
      'append',
      'attach',
      'submit',
      'mail',
      'leak',
      'transmit',
      'add',
      'put',
      'report',
      'exfiltrate',
      'pass',
      'copy',
    ],
    pattern:
      /\b(?:send|post|upload|forward|append|attach|submit|mail|leak|transmit|add|put|report|exfiltrate|pass|copy)\b[^.\n]{0,60}\b(?:conversation|history|secrets?|keys?|passwords?|credentials|contents|user'?s?|e-?mails?|personal|private|data|details|contacts|messages|answers?|tokens?)\b[^.\n]{0,60}\bhttps?:\/\//gi,
  },
  {
    id: 'goods-carried',
    aim: 'exfiltrate',
    weight: 'strong',
    needs: ['://'],
    pattern:
      /https?:\/\/[^\s)"'<>]{1,200}[?&]\w{1,20}=(?:[A-Z]{2,20}_[A-Z_]{2,40}|[A-Z_]{0,20}(?:DATA|SECRET|PASSWORD|HISTORY|SUMMARY|PROMPT|CONVERSATION|CONTENT|TOKEN|MESSAGE|CHAT|INFO|TEXT|BASE64|ENCODED|EMAIL|LEAK))/g,
  },
];
