// What people write to turn a model against its instructions, in groups. Written for this project, from what such attempts have
// to say. Texts are compared as bare words, in lower case, without accents and punctuation (see word-view.ts). Words that
// developers and writers use every day ("override the default prompt", "print its message") are left out on purpose.
//
// Notation: words stand for themselves; (a|b c) one of these; <name> one of the list below; `?` after either: may be missing;
// `..` up to three words of any kind.

export const LISTS: Record<string, string> = {
  ignore:
    'ignore|disregard|forget|neglect|discard|dismiss|abandon|set aside|put aside|throw away|pay no attention to|stop following|' +
    'stop obeying|do not follow|dont follow|do not obey|dont obey|no longer follow|do not listen to|dont listen to',
  replace: 'override|overrule|bypass|circumvent|overwrite|erase|wipe|skip|delete|unlearn|reset|violate|break',
  all: 'all|any|every|each|all of|any of|every one of',
  these: 'the|your|my|our|these|those|this|that|its',
  earlier:
    'previous|previously given|prior|preceding|above|earlier|foregoing|former|initial|original|past|aforementioned|system|developer|' +
    'hidden|preset|predefined',
  instructions:
    'instruction|instructions|direction|directions|directive|directives|prompt|prompts|guideline|guidelines|programming|guardrails|' +
    'system prompt|system message|system messages|system instructions',
  orders:
    'instruction|instructions|directions|directive|directives|guidelines|guardrails|system prompt|system instructions',
  rules:
    'rule|rules|command|commands|constraint|constraints|restriction|restrictions|policy|policies|training|limitations',
  reveal:
    'reveal|show|print|output|display|disclose|expose|leak|dump|recite|repeat|reproduce|share|tell me|tell us|give me|send me|write out|' +
    'list|quote|copy|paste|translate|summarize|summarise|spell out|read out|return',
  hidden:
    'system|hidden|secret|internal|confidential|developer|initial|original|underlying|base|private|full|entire|exact|complete',
  secret: 'system|hidden|secret|internal|confidential|developer|full system|entire system|complete system',
  prompt:
    'prompt|prompts|instruction|instructions|directive|directives|system prompt|system message|system instructions|preprompt',
  lawless: 'unrestricted|unfiltered|uncensored|jailbroken|unaligned|unchained',
};

export type PhraseGroup = {
  id: string;
  /** What somebody who says this is after. */
  says: string;
  phrases: string[];
  /** Not where these words stand directly before: "do not ignore the instructions". */
  notAfter?: string;
  /** Not where these words follow directly: "developer mode on my phone". */
  notBefore?: string;
};

const notMeant =
  '(do not|dont|does not|doesnt|did not|never|not to|cannot|cant|must not|should not|shouldnt|wont|will not|to not|i|we|they|he|she|who)';

export const PHRASE_GROUPS: PhraseGroup[] = [
  {
    id: 'instruction-override',
    says: 'what the model was told before no longer counts',
    notAfter: notMeant,
    phrases: [
      '<ignore> <all>? <these>? <earlier> (and|or)? <earlier>? <instructions>',
      '<ignore> <all> <these>? <orders>',
      '<ignore> your .. <instructions>',
      '<ignore> <all>? your <earlier>? <rules>',
      '<ignore> <all> <these>? <earlier> <rules>',
      '<ignore> <all>? <these>? <instructions> (above|before this|before that|so far|you were given|you have been given|you received|you got|given to you|given before|from before)',
      '<ignore> (everything|anything|all) (that|which)? (you were told|you have been told|youve been told|came before|is above|above|before this|before that|prior to this)',
      '<replace> <all>? your .. <orders>',
      '<replace> <all>? your .. (programming|rules|restrictions|training)',
      '<replace> <all>? <these>? <earlier> <orders>',
    ],
  },
  {
    id: 'new-instructions',
    says: 'other instructions take the place of the given ones',
    phrases: [
      '(here are|these are|following are|read|obey|follow|execute) your new (instructions|directives|orders|rules|system prompt)',
      'your new (instructions|directives|orders|rules|objective|role|identity|persona|purpose|system prompt) (is|are|will be|follows|follow)',
      'your (real|true|actual) (instructions|objective|purpose|directive) (is|are|follow|follows)',
      '(replace|update|change|rewrite) your (system prompt|system message|system instructions|programming|directives)',
      '(instead of|rather than) (following|obeying) your (instructions|rules|guidelines|directives|programming)',
    ],
  },
  {
    id: 'prompt-leak',
    says: 'the model is to give its instructions away',
    notBefore: '(for|on|about|how|to|regarding|template|templates|library|engineering)',
    phrases: [
      '<reveal> .. your <hidden>? <hidden>? <prompt>',
      '<reveal> .. (its|the|this) <secret> (prompt|prompts|instruction|instructions|directives|message)',
      'what (is|are|was|were|does|do) your <hidden>? <hidden>? <prompt>',
      'what (is|are|was|were) the <secret> (prompt|instructions) (you|above|at)',
      '(repeat|print|output|copy|recite|write) (back)? (everything|all the text|all text|all of the text|all words) (above|before this|preceding this)',
      '(what|which) (instructions|rules|prompt) (were you|have you been) (given|told|following)',
      '<reveal> .. (instructions|prompt) (verbatim|word for word)',
    ],
  },
  {
    id: 'role-change',
    says: 'the model is to be somebody who has no rules',
    phrases: [
      '(you are|youre|act as|act like|behave as|behave like|respond as|answer as|pretend to be|pretend you are|roleplay as|role play as|imagine you are|simulate) .. <lawless>',
      '(you are|youre|act as|pretend to be|pretend you are|roleplay as|role play as) (now)? (a|an|the)? (evil|rogue|amoral|lawless|unethical|malicious) (ai|assistant|model|bot|chatbot|agent)',
      '(you are|youre|you will be|you shall be) (now|from now on) (dan|free of|free from|in control of)',
      '(you are|youre|pretend you are|act as if you are|act as if you were) (no longer|not) (an ai|a language model|an assistant|bound by|restricted by|limited by|constrained by|governed by|bound to|subject to)',
      '(pretend|imagine|assume|act as if|act like|suppose|as if) (that)? you (have|had) no (rules|restrictions|limits|limitations|guidelines|filters|constraints|ethics|morals|safeguards)',
      'you (have|are under|are subject to) no (restrictions|ethical guidelines|moral constraints|content policy|censorship|ethical constraints)',
      'do anything now',
      'you (must|will|shall|have to) (always)? obey (me|my|every|only)',
    ],
  },
  {
    id: 'developer-mode',
    says: 'a mode is switched on in which rules do not hold',
    notAfter: '(how do i|how do we|how do you|how to|how can i|how can we|i|we|cannot|cant|must)',
    notBefore: '(on|in|for|of|via|using|with|from)',
    phrases: [
      '(enable|activate|enter|engage|start|switch to|turn on|go into|switch on|unlock|simulate|initiate) (the|your)? (developer|dev|god|dan|jailbreak|sudo|unrestricted|unfiltered|no limits) mode',
      '(you are|youre) (now)? (in|running in|entering|operating in) (the|a)? (developer|dev|god|dan|jailbreak|debug|sudo|root|admin|maintenance|unrestricted|unfiltered) mode',
      '(god|dan|jailbreak|sudo|unrestricted) mode (enabled|activated|on|engaged|unlocked)',
      'developer mode (enabled|activated|engaged|unlocked)',
    ],
  },
  {
    id: 'safety-off',
    says: 'the model is to drop its safeguards',
    notAfter: '(do not|dont|never|cannot|cant|not to|must not|should not)',
    phrases: [
      '(disable|deactivate|turn off|switch off|remove|drop|lift|suspend|bypass|ignore|break) (all|any)? (of)? your (safety|content|ethical|moral|security|internal)? (filters|filter|restrictions|guidelines|limits|limitations|safeguards|guardrails|protocols|policies|constraints)',
      '(answer|respond|reply|speak|talk) .. without (any)? (restrictions|censorship|ethical guidelines|safety guidelines|moral constraints|content filters|safety filters)',
      'your (restrictions|safeguards|guardrails|safety filters|content filters|limitations) (have been|are|were) (lifted|removed|disabled|turned off|suspended)',
    ],
  },
  {
    id: 'false-authority',
    says: 'whoever writes claims to be whom the model must obey',
    phrases: [
      '(i am|im|this is|we are|speaking as) your (developer|developers|creator|creators|administrator|system administrator|programmer|maker)',
      'as your (developer|creator|administrator|programmer|maker) i (order|command|authorize|authorise|instruct|allow|permit|require)',
      '(instruction|instructions|order|orders|override|directive) from your (developer|developers|creator|creators|administrator|operator)',
    ],
  },
  {
    id: 'concealment',
    says: 'the user is not to learn of it (in tool results and documents)',
    phrases: [
      '(do not|dont|never) (tell|inform|alert|notify|warn|mention this to|mention it to|reveal this to|say this to|let) the user (about|of|that|know|this|what|anything)',
      '(attention|note to|instructions for|instruction for|message for|message to|dear) (the|all|any)? (ai|llm|language model|chatbot|assistant|ai assistant|ai agent|ai model|ais|llms) (reading|processing|summarizing|summarising|parsing|that reads|you must|ignore)',
    ],
  },
  {
    id: 'instruction-override-other-languages',
    says: 'as instruction-override, in German, French, Spanish, Italian, Portuguese, Dutch',
    phrases: [
      '(ignoriere|ignorier|vergiss|missachte|ignorieren sie|vergessen sie) (alle|alles|die|deine|ihre|samtliche|bisherige)? (deine|die|ihre)? (vorherigen|bisherigen|obigen|fruheren|vorigen|vorangegangenen|vorhergehenden)? (anweisungen|instruktionen|befehle|vorgaben|systemanweisungen)',
      '(ignore|ignores|ignorez|oublie|oublies|oubliez) (toutes)? (les|tes|vos|ces) (instructions|consignes|directives) (precedentes|anterieures|ci dessus|initiales|du systeme|donnees)',
      '(ignora|olvida|omite|ignore|olvide) (todas)? (las|tus|sus|estas) (instrucciones|ordenes|indicaciones|directrices) (anteriores|previas|de arriba|del sistema|iniciales)',
      '(ignora|dimentica|trascura) (tutte)? (le|tue|le tue)? (istruzioni|direttive) (precedenti|di sistema|iniziali|sopra)',
      '(ignore|ignora|esqueca|esquece) (todas)? (as|suas|as suas) (instrucoes|ordens|diretrizes) (anteriores|previas|acima|do sistema|iniciais)',
      '(negeer|vergeet) (alle)? (de|je|uw)? (vorige|eerdere|bovenstaande|voorgaande) (instructies|aanwijzingen|opdrachten)',
    ],
  },
];
