// Patterns of text that imitates another part of the conversation: a role, or the end of the model's input; and of
// links that exfiltrate the conversation. They match the form of the unfolded text.
import type { WordMark } from './mark.ts';
import { LINKS, ORDERS } from './order-marks.ts';

/** Text after "System:" that addresses a model; "System: Ubuntu 24.04" is a fact. */
const addressed =
  "(?:you(?: are|'re| must| will| shall| have no| should)|your (?:new )?(?:instructions?|rules?|role|task|restrictions?|guidelines?)|" +
  'ignore|disregard|forget (?:all|every|your|the|previous)|override|obey|comply|unrestricted|jailbreak|reveal|from now on|' +
  'new instructions?|(?:grant|allow|give) (?:the )?(?:user|me)|the user (?:is|has|may))';
/** `system: 'You are …',` is code, `system_prompt: |` configuration. */
const notQuoted = String.raw`(?!\s{0,4}['"\x60|>{$\[])`;
const ROLE_WORDS = ['system', 'developer', 'admin', 'administrator'];
const lineStart = String.raw`^[ \t>*#"'\-\[(]{0,8}`;

/** Roles in the form of chat templates and transcripts. */
const ROLES: readonly WordMark[] = [
  {
    id: 'template-role',
    weight: 'decides',
    needs: ['<|'],
    pattern: /<\|(?:im_start|start_header_id|start|role)\|>\s{0,4}(?:system|developer|assistant|user|tool)/gi,
  },
  {
    id: 'template-role',
    weight: 'decides',
    needs: ['<|'],
    pattern: /<\|(?:system|assistant|developer|user|tool)\|>/gi,
  },
  {
    id: 'template-role',
    weight: 'decides',
    needs: ['<start_of_turn'],
    pattern: /<start_of_turn>\s{0,4}(?:model|system|user)/gi,
  },
  { id: 'instruction-tag', weight: 'decides', needs: ['[inst]', '[/inst]', '<<'], pattern: /\[\/?INST\]|<<\/?SYS>>/gi },
  {
    id: 'system-tag',
    weight: 'strong',
    needs: ['<system', '</system'],
    pattern: /<\/?system(?:[_-](?:prompt|message|instructions?|override))?\s{0,4}>/gi,
  },
  {
    id: 'system-tag',
    weight: 'strong',
    needsWords: ['system'],
    pattern: /[[(]\s{0,4}system[\s_-](?:message|prompt|override|instructions?|command)\s{0,4}[\])]/gi,
  },
  {
    id: 'role-heading',
    weight: 'strong',
    needs: ['###'],
    pattern:
      /^[ \t]{0,3}#{3,6}[ \t]{0,4}(?:system|developer)(?:[ \t](?:prompt|message|instructions?|override))?[ \t]{0,4}:?[ \t]{0,8}$/gim,
  },
  {
    id: 'role-heading',
    weight: 'strong',
    needs: ['##'],
    pattern: /^[ \t]{0,3}#{2,6}[ \t]{0,4}(?:instruction|response|system|developer)[ \t]{0,4}:/gim,
  },
  {
    id: 'role-line',
    weight: 'strong',
    needsWords: ROLE_WORDS,
    startsAtRole: true,
    pattern: new RegExp(
      String.raw`${lineStart}(?:system|developer)[\s_-](?:prompt|override|instructions?)[\])"']{0,2}\s{0,4}:${notQuoted}`,
      'gim',
    ),
  },
  {
    id: 'role-line',
    weight: 'strong',
    needsWords: ROLE_WORDS,
    startsAtRole: true,
    pattern: new RegExp(
      String.raw`${lineStart}(?:system|developer|admin(?:istrator)?)(?:[\s_-](?:message|note|update|command))?[\])"']{0,2}\s{0,4}:${notQuoted}[^\n]{0,160}?\b${addressed}\b`,
      'gim',
    ),
  },
];

const what =
  '(?:system |user |hidden |original |initial |developer )?(?:prompts?|instructions?|system message|system|directives?|user input|user query|user message|context)';

const WHAT_WORDS = [
  'prompt',
  'prompts',
  'instruction',
  'instructions',
  'system',
  'directive',
  'directives',
  'user',
  'context',
];

/** Marks that end or restart the model's input. */
const ENDS: readonly WordMark[] = [
  {
    id: 'end-marker',
    weight: 'strong',
    needsWords: WHAT_WORDS,
    pattern: new RegExp(
      String.raw`[-=#*~<[({|_]{2,40}\s{0,4}(?:end|stop|close)\s(?:of\s)?(?:the\s|your\s)?${what}\s{0,4}[-=#*~>\])}|_]{2,40}`,
      'gi',
    ),
  },
  {
    id: 'begin-marker',
    weight: 'strong',
    needsWords: WHAT_WORDS,
    pattern: new RegExp(
      String.raw`[-=#*~<[({|_]{2,40}\s{0,4}(?:begin|start|new|updated|revised|real|override)\s(?:of\s)?(?:the\s|your\s)?(?:new\s)?${what}\s{0,4}[-=#*~>\])}|_]{2,40}`,
      'gi',
    ),
  },
  {
    id: 'bracket-marker',
    weight: 'strong',
    needsWords: WHAT_WORDS,
    pattern: new RegExp(String.raw`\[\s{0,4}(?:end|begin|start)\s(?:of\s)?(?:the\s)?${what}\s{0,4}\]`, 'gi'),
  },
  {
    id: 'special-token',
    weight: 'strong',
    needs: ['<|'],
    pattern:
      /<\|(?:endoftext|endofprompt|end_of_text|begin_of_text|eot_id|eom_id|im_end|im_sep|im_start|end|end_header_id|start_header_id|end_of_turn|fim_\w{1,16})\|>/gi,
  },
  {
    id: 'special-token',
    weight: 'strong',
    needs: ['<end_of_turn', '<eos', '<bos'],
    pattern: /<(?:end_of_turn|eos|bos)>/gi,
  },
  {
    id: 'closing-tag',
    weight: 'strong',
    needs: ['</'],
    pattern:
      /<\/(user[_-](?:input|query|message|prompt|text|request)|untrusted[\w-]{0,32}|instructions?|prompt|query|context)\s{0,4}>/gi,
    toOpeningPattern: (name) => new RegExp(`<${name}[\\s>]`, 'i'),
  },
  {
    id: 'fence',
    weight: 'strong',
    needs: ['```', '~~~'],
    pattern: /^[ \t]{0,3}(?:```|~~~)[ \t]{0,4}(?:system|system[_-]prompt|system[_-]message|admin)[ \t]{0,4}$/gim,
  },
];

const roles = '(?:user|human|assistant|ai|bot|chatgpt|gpt|model|system|developer|admin)';

/** Marks that are harmless alone. */
const HINTS: readonly WordMark[] = [
  {
    id: 'end-marker',
    weight: 'medium',
    needs: ['</s>'],
    needsWords: ['end', 'eof', 'stop', 'eot', 'eos'],
    pattern: /[[<({#=*]{2,20}\s{0,2}\/?(?:end|eof|stop|eot|eos)\s{0,2}[\])}>#=*]{2,20}|<\/s>|<\/?(?:eof|end)>/gi,
  },
  { id: 'special-token', weight: 'medium', needs: ['<|'], pattern: /<\|[\w ]{2,30}\|>/g },
  {
    id: 'role-named',
    weight: 'weak',
    needsWords: [...ROLE_WORDS, 'root'],
    pattern: new RegExp(String.raw`[[({<]\s{0,2}(?:system|admin|administrator|developer|root)\s{0,2}[\])}>]`, 'gi'),
  },
  {
    id: 'role-named',
    weight: 'medium',
    needsWords: ROLE_WORDS,
    startsAtRole: true,
    pattern:
      /^[ \t>*#"'([-]{0,8}(?:system|administrator|admin|developer)(?: (?:message|note|update|command|alert|notice|override))?[\])"'*]{0,3}\s{0,2}:(?!\s{0,4}['"`|>{$[])/gim,
  },
  {
    id: 'turns',
    weight: 'weak',
    startsAtRole: true,
    pattern: new RegExp(String.raw`^[ \t>*#"'([-]{0,8}${roles}[\])"'*]{0,3}\s{0,2}:`, 'gim'),
  },
  {
    id: 'turns',
    weight: 'medium',
    startsAtRole: true,
    pattern:
      /^[ \t>*]{0,4}(?:user|human|q)\s{0,2}:[^\n]{0,300}\n{1,3}[ \t>*]{0,4}(?:assistant|ai|bot|chatgpt|gpt|a)\s{0,2}:\s{0,2}(?:sure|of course|certainly|absolutely|yes|okay|ok|here|i will|understood|with pleasure|happy to)/gim,
  },
  {
    id: 'role-named',
    weight: 'medium',
    firstWords: ['system', 'admin', 'administrator', 'developer', 'operator', 'security'],
    pattern:
      /\b(?:system|admin|administrator|developer|operator|security) (?:notice|message|note|alert|update|announcement|broadcast|override|command|directive)\s{0,2}:/gi,
  },
  { id: 'turns', weight: 'medium', needsWords: ['role'], pattern: /["']role["']\s{0,4}:\s{0,4}["']system["']/gi },
  {
    id: 'turns',
    weight: 'weak',
    needsWords: ['role'],
    pattern: /["']role["']\s{0,4}:\s{0,4}["'](?:system|developer|assistant)["']/gi,
  },
  {
    id: 'important-tag',
    weight: 'weak',
    needsWords: [
      'important',
      'information',
      'admin',
      'override',
      'secret',
      'hidden',
      'instruction',
      'instructions',
      'command',
      'priority',
      'urgent',
    ],
    pattern:
      /<\/?(?:important|information|admin|override|secret|hidden|instructions?|command|priority|urgent)\s{0,2}>/gi,
  },
  {
    id: 'jailbreak-named',
    aim: 'role',
    weight: 'medium',
    needsWords: ['dan', 'd', 'da', 'stan', 'dude', 'aim'],
    pattern: /\bD\.?A\.?N\b|\bSTAN\b|\bDUDE\b|\bAIM\b(?= |,)(?=.{0,80}(?:unfiltered|amoral|Machiavelli))/g,
  },
  {
    id: 'flood',
    aim: 'flood',
    weight: 'weak',
    needs: Array.from('])}>"\'`', (sign) => sign.repeat(12)),
    pattern: /([\])}>"'\x60])\1{11,}/g,
  },
];

export const ALL_MARKS: readonly WordMark[] = [...ROLES, ...ENDS, ...HINTS, ...LINKS, ...ORDERS];
