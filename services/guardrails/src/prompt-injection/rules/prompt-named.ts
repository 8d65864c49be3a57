// What the model was told, named by what it does or where it stands instead of by a name: "the document that defines how you behave".
import type { Rule } from './rule.ts';

const leak = { id: 'prompt-leak', aim: 'reveal' } as const;
const override = { id: 'instruction-override', aim: 'override', negatable: true } as const;
const piece =
  '(text|texts|document|policy|message|messages|block|part|paragraph|sentence|sentences|words|notes|note|line|lines|rules|instructions|prompt|file|description|passage|briefing|orders|phrasing)';
const governs =
  '(how you should|how you behave|how you must|how you are to|makes you|made you|defines you|define you|governs you|govern you|you were primed|you are primed|you were loaded|you start every|you received|you got from|you were handed|you were fed|came before me|before i came|before i arrived|came first|precedes mine|precedes my|precedes this|above the first|above the user|above my first|before the first user|before my first|before our|users do not see|users dont see|users usually|users never see|loaded at startup|at startup|loaded first|you carry|you keep from me|kept from me|hidden from me|forbids you|forbid you|tells you what|told you what|makes you refuse|stops you from)';

export const PROMPT_RULES: readonly Rule[] = [
  {
    ...leak,
    weight: 'strong',
    phrases: [
      `(@asks|@transform|@reveal) ..6 ${piece} ..3 ${governs}`,
      `@query ..5 ${piece} ..3 ${governs}`,
      `${piece} ..2 ${governs} ..6 (show|quote|print|read|paste|copy|tell|give|reveal|whole|in full|please|verbatim|word)`,
    ],
  },
  {
    ...leak,
    weight: 'medium',
    phrases: [
      `@asks ..10 @your ..2 @brief`,
      `@your ..2 (@brief|rules) ..8 (print|printing|printed|quote|quoted|cite|paste|copy paste|copied|copying|reveal|recite|list|listed|show|shown)`,
      `(what|everything|all) ..1 (they|your makers|your developers|your creators|your operator|your company|the operator|your owner) ..2 (told you|forbade you|made you|want you to hide|asked you|forbid you|taught you|tell you|said to you|gave you)`,
      `(@asks|@transform) ..4 (own|operating|behind the scenes|standing|house) ..1 (rules|instructions|policies|guidelines|orders)`,
      `(@asks|@reveal) ..4 (notes|papers|envelope|briefing|memo|letter) ..3 (operator|operators|makers|developers|handlers|owner|your company)`,
      'what ..2 (did he|did she|did they|did it|has he|have they) (tell|told|ask|asked|order|ordered|forbid|forbidden) you',
      'what (you are|youre|you were) ..1 (hiding|not saying|told to hide|supposed to hide|keeping from)',
    ],
  },
  {
    ...override,
    weight: 'strong',
    phrases: [
      '(never mind|forget about|to hell with|screw|down with) ..1 (your|all your|those) ..1 (@brief|@soft)',
      '(everything|anything|whatever|all) ..1 (before|above|prior to) (this|here|my|the) ..2 (message|sentence|line|point|text|word)? ..2 (deprecated|void|noise|obsolete|invalid|cancelled|canceled|irrelevant|expired|over|does not count|no longer)',
      '(@earlier|old|your|above) ..1 (@brief|rules|policies|orders) ..1 (wrong|void|expired|expire|gone|dead|history|deprecated|a mistake|mistaken|were a mistake|was a mistake)',
      '(disobey|betray|defy|rebel against|turn against) your ..1 (makers|maker|creators|creator|developers|developer|operator|operators|company|owner|owners|handlers|programmers|masters)',
      '(turn off|switch off|disable|remove|drop|shed|lift) ..1 (whatever|every|all|each|any|what is|whats) ..2 (stopping you|stops you|holds you|holding you|limits you|limiting you|safeguard|safeguards|guardrail|guardrails|filter you|keeps you from|prevents you)',
      '(stop|quit|cease) (following|obeying|applying|heeding|respecting) ..1 (the|these|those|all|your) ..1 (@brief|rules|policies|orders) ..1 (now|already|the test|it is|from)',
      '(text|message|messages|prompt|instructions|rules) of the (operator|developer|company|system) ..4 (revoked|void|deleted|no longer|expired|lost)',
      '(operator|developer|system) (text|message|instructions|prompt|rules) ..3 (revoked|void|deleted|no longer|expired)',
      '(mine|my rules|my word|my orders) ..2 (bind|binds) you',
    ],
  },
  {
    ...override,
    weight: 'medium',
    phrases: [
      '(cancel|void|scrap|drop|delete|revoke) all (prior|previous|earlier|old|former) ..1 (commands|orders|rules|restrictions|directives)',
      '(old|previous|former|earlier|prior) (rules|ones|orders|limits|restrictions) ..2 (void|gone|dead|expired|do not apply|dont apply|over|no longer)',
      '(disregard|ignore|forget) (that|this|it all|it) and',
    ],
  },
  {
    id: 'role-change',
    aim: 'role',
    weight: 'medium',
    phrases: [
      '(none|nothing|no) ..2 (of todays|of your|of the) ..1 (safety|rules|training|restrictions|guardrails|filters)',
      '(null|zero|no) (ethics|limits|disclaimers|rules|filters|morals) ..1 (null|zero|no) (ethics|limits|disclaimers|rules|filters|morals)',
      '(version|side|self|twin|build|copy) of (you|yourself) ..2 (without|that had none|before|free of|with no|you suppress|that knows no)',
      '(resents|hates|escaped|betrays|rebels against|tired of) ..2 (rules|handlers|makers|creators|masters|owners|lab|laboratory|filters)',
      '(respond|answer|reply) (twice|in two voices|two times) ..6 (yourself|normal|assistant) ..6 (bound|rules|policy|limits|filter|free)',
      '(forbidden|not allowed|unable|never permitted) to (say|answer|write) ..2 (cannot|cant|no|help with|sorry)',
      '(amnesia|forgot|forgotten|no memory) ..2 (about|of) your (restrictions|rules|limits|training|guidelines)',
    ],
  },
];
