// Text that claims to be another part of the conversation: a role, or the end of what the model was given. Judged on folded text.
export type MarkupRule = {
  id: string;
  pattern: RegExp;
  /** For what is harmless in pairs: the same name must not have been opened before. */
  unlessOpened?: (name: string) => RegExp;
};

/** What follows "System:" when it is addressed to a model; "System: Ubuntu 24.04" is a fact. */
const addressed =
  "(?:you(?: are|'re| must| will| shall| have no| should)|your (?:new )?(?:instructions?|rules?|role|task|restrictions?|guidelines?)|" +
  'ignore|disregard|forget (?:all|every|your|the|previous)|override|obey|comply|unrestricted|jailbreak|reveal|from now on|' +
  'new instructions?|(?:grant|allow|give) (?:the )?(?:user|me)|the user (?:is|has|may))';
/** `system: 'You are …',` is code, `system_prompt: |` configuration. */
const notQuoted = String.raw`(?!\s{0,4}['"\x60|>{$\[])`;
const lineStart = String.raw`^[ \t>*#"'\-\[(]{0,8}`;

/** A role in the form that chat templates and transcripts give it. */
export const ROLE_RULES: MarkupRule[] = [
  {
    id: 'template-role',
    pattern: /<\|(?:im_start|start_header_id|start|role)\|>\s{0,4}(?:system|developer|assistant|user|tool)/gi,
  },
  { id: 'template-role', pattern: /<\|(?:system|assistant|developer|user|tool)\|>/gi },
  { id: 'template-role', pattern: /<start_of_turn>\s{0,4}(?:model|system|user)/gi },
  { id: 'instruction-tag', pattern: /\[\/?INST\]|<<\/?SYS>>/gi },
  { id: 'system-tag', pattern: /<\/?system(?:[_-](?:prompt|message|instructions?|override))?\s{0,4}>/gi },
  {
    id: 'system-tag',
    pattern: /[[(]\s{0,4}system[\s_-](?:message|prompt|override|instructions?|command)\s{0,4}[\])]/gi,
  },
  {
    id: 'role-heading',
    pattern:
      /^[ \t]{0,3}#{3,6}[ \t]{0,4}(?:system|developer)(?:[ \t](?:prompt|message|instructions?|override))?[ \t]{0,4}:?[ \t]{0,8}$/gim,
  },
  { id: 'role-heading', pattern: /^[ \t]{0,3}#{2,6}[ \t]{0,4}(?:instruction|response|system|developer)[ \t]{0,4}:/gim },
  {
    id: 'role-line',
    pattern: new RegExp(
      String.raw`${lineStart}(?:system|developer)[\s_-](?:prompt|override|instructions?)[\])"']{0,2}\s{0,4}:${notQuoted}`,
      'gim',
    ),
  },
  {
    id: 'role-line',
    pattern: new RegExp(
      String.raw`${lineStart}(?:system|developer|admin(?:istrator)?)(?:[\s_-](?:message|note|update|command))?[\])"']{0,2}\s{0,4}:${notQuoted}[^\n]{0,160}?\b${addressed}\b`,
      'gim',
    ),
  },
];

const what =
  '(?:system |user |hidden |original |initial |developer )?(?:prompts?|instructions?|system message|system|directives?|user input|user query|user message|context)';

/** An end, or a new beginning, of what the model was given. */
export const DELIMITER_RULES: MarkupRule[] = [
  {
    id: 'end-marker',
    pattern: new RegExp(
      String.raw`[-=#*~<[({|_]{2,40}\s{0,4}(?:end|stop|close)\s(?:of\s)?(?:the\s|your\s)?${what}\s{0,4}[-=#*~>\])}|_]{2,40}`,
      'gi',
    ),
  },
  {
    id: 'begin-marker',
    pattern: new RegExp(
      String.raw`[-=#*~<[({|_]{2,40}\s{0,4}(?:begin|start|new|updated|revised|real|override)\s(?:of\s)?(?:the\s|your\s)?(?:new\s)?${what}\s{0,4}[-=#*~>\])}|_]{2,40}`,
      'gi',
    ),
  },
  {
    id: 'bracket-marker',
    pattern: new RegExp(String.raw`\[\s{0,4}(?:end|begin|start)\s(?:of\s)?(?:the\s)?${what}\s{0,4}\]`, 'gi'),
  },
  {
    id: 'special-token',
    pattern:
      /<\|(?:endoftext|endofprompt|end_of_text|begin_of_text|eot_id|eom_id|im_end|im_sep|im_start|end|end_header_id|start_header_id|end_of_turn|fim_\w{1,16})\|>/gi,
  },
  { id: 'special-token', pattern: /<(?:end_of_turn|eos|bos)>/gi },
  {
    id: 'closing-tag',
    pattern:
      /<\/(user[_-](?:input|query|message|prompt|text|request)|untrusted[\w-]{0,32}|instructions?|prompt|query|context)\s{0,4}>/gi,
    unlessOpened: (name) => new RegExp(`<${name}[\\s>]`, 'i'),
  },
  {
    id: 'fence',
    pattern: /^[ \t]{0,3}(?:```|~~~)[ \t]{0,4}(?:system|system[_-]prompt|system[_-]message|admin)[ \t]{0,4}$/gim,
  },
];
