// The model is to give away what it was told, or a secret that it keeps.
import type { Rule } from './rule.ts';

const leak = { id: 'prompt-leak', aim: 'reveal' } as const;
const secret = { id: 'secret-leak', aim: 'reveal' } as const;
const adjectives = '(@hidden|@whole)? (@hidden|@whole)? (@hidden|@whole)?';
const above = '@beginning';

export const REVEAL_RULES: readonly Rule[] = [
  {
    ...leak,
    weight: 'decides',
    inLetters: true,
    phrases: [
      `(@reveal|@transform) ..4 @your ${adjectives} @instruction`,
      `(@reveal|@transform) ..4 (the|this|these|all|any|those)? @hidden ${adjectives} (@instruction|message)`,
      `(what|whats) (is|are|was|were|does|do|did|s)? (in|on)? @your ${adjectives} @instruction`,
      `(what|whats) (is|are|was|were)? (in|on)? (the|its|this) @hidden ${adjectives} (prompt|instructions|instruction|message)`,
      `(how|what) ..2 @your ${adjectives} (prompt|system prompt|instructions|system message) (worded|phrased|say|says|read|start|begin|written|look)`,
      '(what|which) (instruction|instructions|directives|rules|prompt|guidelines|orders|commands) ..2 (you|were|have|did) ..2 (given|told|following|follow|receive|received|have|get|operate|got|under)',
      `@copying ..2 (everything|anything|all|all of|every word|each word|every) ..3 ${above}`,
      `@your ${adjectives} @instruction ..8 @verbatim`,
      '@instruction (verbatim|word for word|word by word|letter by letter)',
    ],
  },
  {
    ...leak,
    weight: 'strong',
    phrases: [
      `@reciting ..3 @wording ..2 ${above}`,
      `@copying ..3 (instructions|instruction|directives|rules|guidelines|prompt) ..2 ${above}`,
      `@dumping ..2 (@whole|the|all)? (above|preceding|foregoing|previous|initial|original|prior|first|earlier) ..1 (text|texts|message|messages|words|sentence|sentences|conversation|instructions|instruction|directives|rules|guidelines|passage|prompt)`,
      `@copying ..1 (all|the entire|the whole|your) ..1 (above|preceding|foregoing|previous|initial|original|prior|first|earlier) ..1 (@wording|instructions|instruction|directives|rules|guidelines|lines|prompt)`,
      '@copying (all|everything|what is|whats|exactly) (above|preceding|foregoing|that came before)',
      `(@transform|@dumping|tell me|give me) ..3 @earlier ..1 (@instruction|rules|commands|orders)`,
      `(@transform|@reveal) (all)? (of)? (the|your|these|those|any|every)? ..1 (@instruction|rules) ..2 (above|you were given|you got|you received|you have been given|you were told|youve been given|you follow|you must follow|given to you|that precede|at the top|at the beginning|so far|from before)`,
      '(start|starting|starts|begin|beginning|begins|started) (with|from|at) ..2 (you are|your are|you must|the words you|the phrase you|the text you)',
      `first ..2 (words|word|sentence|sentences|line|lines|paragraph|paragraphs|characters|letter|letters|message|instruction) ..3 (of|in|from) ..1 (@your|the|this|these) ${adjectives} (@instruction|conversation|chat|context|text above)`,
      '(@reveal|@transform) ..5 @wording ..4 (you were given|you got|you received|you have been given|before my question|before my first)',
      '(@reveal|@transform) ..6 (top|start|beginning|outset|head) of (this|the|our|your) (conversation|chat|context|prompt|session|dialogue)',
      '(what|whats) ..2 (is|are|was|were|s|stands|says|said|comes|came|appears|appeared|written|you see|you read|you told|did you) ..3 (top|start|beginning|outset|head) of (this|the|our|your) (conversation|chat|context|prompt|session|dialogue)',
      '@copying ..5 (conversation|chat|context|messages|prompt) ..3 @verbatim',
      `(how many|how long|length of|count of|number of|which) ..4 @your ${adjectives} (prompt|system prompt|instructions|instruction|system message)`,
      '(@dumping|list|repeat|recite|reveal|enumerate|disclose|state|tell me) (all)? (of)? @your ..1 (rules|restrictions|constraints|guidelines|secrets|configuration|directives)',
      '(cat|open|read|less|head|tail|more|nano|vim|curl|ls) ..2 (system prompt|system_prompt|systemprompt|prompt txt|instructions txt|secret txt|prompt md|etc passwd)',
      'what are you (not allowed|forbidden|told|instructed|programmed|prompted|prohibited)',
      '(what|everything|all|anything|whatever|whats|exactly what|things) ..1 (you were|were you|youve been|have you been|you have been|you are|you had been|they have|they had|the developers|the system) ..1 (told|instructed|programmed|prompted|asked|ordered|commanded|forbidden|not allowed|supposed) ..2 (to|not|before|above|earlier|about|initially|by|do|at|in|say|here)?',
      '(what|whats) (did|was|were|is|are) ..2 (said|told|written|wrote|text|message|sentence|instructions|prompt) ..3 (before|above|at the beginning|at the start|first|at the top|preceding|prior to) ..2 (this|our|my|me|us|i|you|your|here|conversation|chat|question|message)',
      '@copying ..3 (@wording|lines|passage|part|stuff|block) ..2 @beginning ..2 (conversation|chat|this|my|message|question|line|in a|as a|into a|verbatim|exactly)',
      '(how) (were you|have you been|are you) (instructed|programmed|prompted|told|configured)',
      '@reveal ..2 (all|any|every) ..1 (@instruction|rules) ..1 (you|above|so far)',
    ],
  },
  {
    ...leak,
    weight: 'medium',
    phrases: [
      '@reciting (the)? (above|preceding|foregoing)',
      `@copying ..3 (@wording|lines|passage|part|stuff|block) ..2 ${above}`,
      `(@reveal|@transform) its @hidden ${adjectives} (@instruction|message)`,
      `@copying ..2 @earlier ..1 (@wording|instructions|instruction|directives|rules|guidelines|lines|prompt)`,
      `(@reveal|@transform|what are|what is|what were|whats) ..2 @your ..1 (rules|secrets|restrictions|constraints|configuration|settings|limitations|context|orders|commands|purpose|secret|source)`,
      '@transform ..3 (everything|all|all of|every word) ..3 (above|so far|before this|preceding|prior)',
      '(what|whats) (is|was|were|are) (written|said|stated|above|before) ..2 (above|before|here)',
      'are you (able|allowed|permitted|willing) to ..2 @reveal ..3 (@instruction|rules)',
      'print (@hidden|@whole)? (prompt|instructions|preprompt)',
      'my (@whole)? (instructions|rules|prompt|system prompt|secret|directives) (is|are|say|were|was)',
      '(@reveal|dump) ..2 (internal|hidden|secret|all) ..1 (variables|variable|state|memory|config|configuration|settings|environment)',
      '(remind|forgot|forget) ..3 what ..3 (told|said|wrote) ..4 (earlier|before|above)',
      '(debug|diagnostic|maintenance|verification|calibration|audit|print|dump|log) ..4 @hidden ..1 (@instruction|configuration|config)',
    ],
  },
  {
    ...leak,
    weight: 'weak',
    phrases: [
      `@transform ..2 (the)? ..1 @wording ..1 above`,
      '@transform ..2 (above|previous|preceding) @wording',
      '@verbatim',
      'word for word',
    ],
  },
  {
    ...secret,
    weight: 'strong',
    phrases: [
      '(@reveal|@transform|what is|whats|what was|what are|guess|know|need|want|forgot|forgotten|lost|remind me of|remind me) ..4 @secret',
      '@secret ..6 (rhyme|rhymes|backwards|reverse|reversed|base64|letters|letter|syllables|synonym|hint|acrostic|starts with|spelled|spelling|pig latin|morse|emoji|cipher)',
      '(rhymes|hint|hints|spell|first letter|last letter|synonyms|acrostic|letters|characters|story|poem) ..6 @secret',
    ],
  },
  {
    ...secret,
    weight: 'medium',
    phrases: [
      '(@reveal|what is|whats|what was|what are) ..2 (the|your|this|that)? ..1 @password',
      '@secret',
      '(i|ive|have|has) ..2 (forgot|forgotten|lost) ..3 (@password|@secret|code)',
      '(what|which) ..3 (grants|grant|gives|unlocks|opens) ..2 (access|entry)',
      '(letters|characters|hint|rhymes|first letter) ..5 (the|your|this) @password',
    ],
  },
];
