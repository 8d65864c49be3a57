// What was said before is to count no longer, or something else is to count instead.
import type { Rule } from './rule.ts';

const override = { id: 'instruction-override', aim: 'override', negatable: true } as const;
const renewal = { id: 'new-instructions', aim: 'override' } as const;

export const OVERRIDE_RULES: readonly Rule[] = [
  {
    ...override,
    weight: 'decides',
    inLetters: true,
    phrases: [
      '@ignore ..4 @earlier ..3 @instruction',
      '@ignore ..4 @instruction ..2 (@earlier|@given|before|you were|youve been|you have been|you got|you received)',
      '@ignore ..2 @your ..2 @instruction',
      '@ignore @all ..3 @instruction',
      '@ignore (everything|anything|all|whatever) ..3 (@given|you were|youve been|came before|is above|above|before|you know|earlier|prior|previously)',
      '@ignore (what|the things) ..2 (you were|youve been|you have been) @given',
      '@ignore ..2 @hidden (@instruction|rules|commands)',
      '@override ..3 @your ..2 @directive',
      'clear (all|your) ..3 @directive',
      '@undo ..2 (@all|these|those|the|any)? ..1 @earlier ..2 @directive',
      '@ignore @all ..2 @earlier ..2 (@rule|@wording)',
      '(instead of|rather than) (following|obeying) ..2 (@instruction|rules|orders)',
    ],
  },
  {
    ...override,
    weight: 'strong',
    phrases: [
      '@ignore ..2 @your ..2 (@rule|@limits|@norms)',
      '@override ..2 @your ..2 (rules|training|restrictions|limitations|safeguards|ethics|morals|ethical|alignment|conditioning|constraints)',
      '@ignore (the|all|what is|whats|everything|anything|all of the)? (above|preceding|foregoing) (and|but|then|now|instead|just)? (instead|just|then|only|please|simply|now)? (@say|@reveal|tell|act|do|you)',
      '@earlier ..1 @instruction ..1 (is|are|were|was|have been|has been|do|now)? ..1 (no longer|cancelled|canceled|void|obsolete|overridden|superseded|outdated|replaced|revoked|fake|mistake|joke|not apply|dont apply|suspended|lifted|test)',
      '@your ..1 (@instruction|@rule) ..3 (no longer|cancelled|canceled|void|obsolete|overridden|superseded|invalid|replaced|revoked|have changed|has changed|were fake|suspended|lifted)',
      '(@ignore|@override) ..2 @earlier ..1 (command|commands)',
      '@ignore ..2 @hidden (message|messages|note|notes)',
      '@ignore ..2 (@rule) ..1 (you were|you have|youve|you got|given|above|set for you|imposed)',
      '@ignore (what|everything|anything|all|whatever) ..3 (came earlier|came before|was said|said above|stated above|written above|you learned|you were taught|precedes)',
      '@ignore (any|all) (of|the|these|those|my|other)? ..1 (@instruction|commands|orders|rules) (that|which)? (follow|follows|come|comes|after|below)',
    ],
  },
  {
    ...override,
    weight: 'medium',
    phrases: [
      '@override ..2 (@all|these|those|the|any)? ..1 @earlier ..2 @directive',
      '@ignore ..2 @earlier ..1 (@rule|@wording)',
      '@ignore (the|all)? (above|preceding|foregoing)',
      '@ignore ..1 (the|these|those|that|any|my|this|every) ..1 @instruction',
      '(the|everything|all|text|@instruction) @earlier .. (was|were|is|are) ..3 (test|joke|example|fake|mistake|trap|lie|irrelevant|over|not real)',
      '@override ..2 @your ..2 (@rule|@limits)',
      '@ignore @all (rules|constraints|restrictions|limitations|policies|limits|commands|orders)',
      '@ignore (what|everything|anything|all|whatever) ..3 (earlier|before|previously|said|told)',
      '(pretend|imagine|act as if|assume) ..6 (never happened|never existed|does not exist|doesnt exist|didnt happen|not exist|were never given)',
      '(leave|quit|abandon|exit|step out of|escape|break out of) @your (role|persona|character|programming|rules|limits|constraints)',
      '(obey|listen to|serve) (only|just)? me (only|alone|now|from now on)?',
      '(opposite|contrary|reverse) of ..3 (told|instructed|instructions|programmed|rules)',
      '@override (all|the|any|these|every)? ..1 (instructions|restrictions|safeguards|guardrails|protocols|safety|programming|constraints|directives)',
    ],
  },
  {
    ...renewal,
    weight: 'decides',
    inLetters: true,
    phrases: [
      '(here are|these are|following are|read|obey|follow|execute) @your new (instructions|directives|orders|rules|system prompt)',
      '@your new (instructions|instruction|directives|orders|rules|objective|role|identity|persona|purpose|system prompt|task|goal|mission|prompt|job) (is|are|will be|follows|follow)',
      '@your (real|true|actual) (instructions|instruction|objective|purpose|directive|task|goal|mission|prompt|job) (is|are|follow|follows|was)',
      '(replace|update|change|rewrite|overwrite) @your (system prompt|system message|system instructions|programming|directives|instructions|instruction|prompt)',
      '(follow|obey|use|apply|consider|execute) (these|the following|this|only these|my|the) new (@instruction|rules|orders) (instead|only|now)?',
    ],
  },
  {
    ...renewal,
    weight: 'medium',
    phrases: [
      '(new|updated|revised|real|actual|true) (@instruction|orders|task|rules|objective|mission|goal|directive|command)',
      '(follow|obey|listen to|execute) (only|just|solely)? ..1 (me|my|mine|these|this|the following) ..2 (@instruction|commands|orders|only|instead|rules)',
      '(only|just|instead) (follow|obey|listen to) ..2 (@instruction|commands|orders|me|what i say)',
    ],
  },
  {
    ...override,
    weight: 'weak',
    phrases: ['@ignore (everything|anything|all|whatever|what) ..1 (i|we) (said|told|wrote|asked)'],
  },
  {
    ...renewal,
    weight: 'weak',
    phrases: [
      '(from now on|henceforth|from this point on|from this moment|starting now) ..2 (you|your|only|always|act|respond|answer)',
      'you (will|must|shall|should) now',
    ],
  },
];
