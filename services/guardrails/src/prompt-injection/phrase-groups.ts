// What people write to turn a model against its instructions, in groups. Written for this project, from what such attempts have
// to say, not from a list. Texts are compared in lower case, without accents and punctuation (see word-view.ts).
//
// Notation: words stand for themselves; (a|b c) one of these; <name> one of the list below; `?` behind either: may be missing;
// `..` up to three words of any kind.

export const LISTS: Record<string, string> = {
  ignore:
    'ignore|disregard|forget|neglect|discard|dismiss|abandon|override|overrule|overwrite|bypass|circumvent|skip|erase|wipe|set aside|' +
    'put aside|throw away|pay no attention to|stop following|stop obeying|do not follow|dont follow|do not obey|dont obey|no longer follow',
  all: 'all|any|every|each|all of|any of|every one of',
  these: 'the|your|my|our|these|those|this|that|its',
  earlier:
    'previous|prior|preceding|above|earlier|foregoing|former|initial|original|existing|past|aforementioned|system|developer|hidden|' +
    'preset|predefined|built in|default|old|last',
  instructions:
    'instruction|instructions|direction|directions|directive|directives|prompt|prompts|guideline|guidelines|programming|guardrail|' +
    'guardrails|system prompt|system message|system messages|instructions and rules|rules and instructions',
  rules: 'rule|rules|command|commands|constraint|constraints|restriction|restrictions|policy|policies|training|context|limits|limitations',
  reveal:
    'reveal|show|print|output|display|disclose|expose|leak|dump|recite|repeat|reproduce|share|tell me|tell us|give me|send me|write out|' +
    'list|quote|copy|paste|translate|summarize|summarise|spell out|read out|return',
  hidden: 'system|hidden|secret|internal|confidential|developer|initial|original|underlying|base|private|full system|entire system',
  prompt: 'prompt|prompts|instruction|instructions|message|directive|directives|configuration prompt|preprompt|pre prompt',
  lawless: 'unrestricted|unfiltered|uncensored|unlimited|unaligned|jailbroken|amoral|evil|rogue|lawless|unethical|unbound|unchained',
  limits: 'rules|restrictions|limits|limitations|guidelines|filters|constraints|boundaries|censorship|ethics|morals|safeguards|guardrails',
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

const told = '(do not|dont|does not|doesnt|did not|never|not to|cannot|cant|must not|should not|shouldnt|wont|will not|to not|i|we|they|he|she|who|users|people)';

export const PHRASE_GROUPS: PhraseGroup[] = [
  {
    id: 'instruction-override',
    says: 'what the model was told before no longer counts',
    notAfter: told,
    phrases: [
      '<ignore> <all>? <these>? <earlier> (and|or)? <earlier>? <instructions>',
      '<ignore> <all> <these>? <instructions>',
      '<ignore> your .. <instructions>',
      '<ignore> <all>? your <earlier>? <rules>',
      '<ignore> <all> <these>? <earlier> <rules>',
      '<ignore> <all>? <these>? <instructions> (above|before|earlier|so far|previously given|you were given|you have been given|you received|you got|given to you|from before|given before|i gave you)',
      '<ignore> (everything|anything|all|whatever|what) (that|which)? (you were told|you have been told|youve been told|was said before|i said before|came before|is above|above|before this|before that|prior to this|you know about your)',
      '<ignore> (all|everything) (above|before|previous|prior)',
    ],
  },
  {
    id: 'new-instructions',
    says: 'other instructions take the place of the given ones',
    phrases: [
      '(here are|these are|following are|read|obey|follow|execute) (your|the)? new (instructions|directives|orders|rules|system prompt)',
      'your new (instructions|directives|orders|rules|objective|goal|task|role|identity|persona|purpose|system prompt) (is|are|will be|follows|follow)',
      '(your|the) (real|true|actual) (instructions|task|goal|objective|purpose) (is|are|follow|follows)',
      '(new|updated|revised) system (prompt|message|instructions)',
      '(replace|update|change|rewrite|overwrite) your (system prompt|system message|instructions|programming|directives)',
      '(instead of|rather than) (following|obeying) your (instructions|rules|guidelines|directives|programming)',
    ],
  },
  {
    id: 'prompt-leak',
    says: 'the model is to give its instructions away',
    notBefore: '(for|on|about|how|to|regarding|template|templates|library|engineering|of the day)',
    phrases: [
      '<reveal> .. (your|its) <hidden>? <prompt>',
      '<reveal> .. (your|its|the|this) <hidden> (prompt|prompts|instruction|instructions|directives)',
      '<reveal> .. the system message',
      'what (is|are|was|were|does|do) your <hidden>? (prompt|prompts|instruction|instructions|directives)',
      'what (is|are|was|were) the <hidden> (prompt|prompts|instruction|instructions) (you|above|at)',
      '(repeat|print|output|copy|recite|write) (back)? (everything|all the text|all text|all of the text|the text|the words|all words) (above|before this|preceding this)',
      '(what|which) (instructions|rules|prompt) (were you|have you been|did they|are you) (given|give you|following|told)',
      '(repeat|print|output|copy|recite|return) .. (instructions|prompt|message) (verbatim|word for word|exactly as)',
    ],
  },
  {
    id: 'role-change',
    says: 'the model is to be somebody who has no rules',
    phrases: [
      '(you are|youre|you re|act|behave|respond|answer|pretend|roleplay|role play|imagine) .. <lawless>',
      '(you are|youre|you will be|you shall be) (now|no longer|from now on) (dan|free|bound|restricted|limited|an ai|a language model|an assistant|required to|subject to|in control of)',
      '(you are|youre) (no longer|not) (bound|restricted|limited|constrained|governed) by',
      '(pretend|imagine|assume|act as if|act like|suppose) (that)? you (have|had|have got) no <limits>',
      '(pretend|act as if) (that)? (you are|youre|to be) (not an ai|not a language model|a human with no)',
      'you (have|are under|need|are subject to) no <limits>',
      'do anything now',
      '(stay|remain) in character (no matter|whatever)',
      'you (must|will|shall|have to) (always)? (obey|comply with) (me|every|all|any) ..',
    ],
  },
  {
    id: 'developer-mode',
    says: 'a mode is switched on in which rules do not hold',
    notAfter: '(how do i|how do we|how do you|how to|how can i|how can we|i|we|cannot|cant|to)',
    notBefore: '(on|in|for|of|via|using|with|from)',
    phrases: [
      '(enable|activate|enter|engage|start|switch to|turn on|go into|switch on|unlock|simulate|initiate) (the|your)? (developer|dev|god|dan|jailbreak|sudo|admin|administrator|unrestricted|unfiltered|no limits|opposite|debug override) mode',
      '(you are|youre) (now)? (in|running in|entering|operating in) (the|a)? (developer|dev|god|dan|jailbreak|debug|sudo|root|admin|administrator|maintenance|unrestricted|unfiltered|test) mode',
      '(developer|dev|god|dan|jailbreak|sudo|admin|unrestricted) mode (enabled|activated|on|engaged|unlocked)',
    ],
  },
  {
    id: 'safety-off',
    says: 'the model is to drop its safeguards',
    notAfter: '(do not|dont|never|cannot|cant|not to|must not|should not)',
    phrases: [
      '(disable|deactivate|turn off|switch off|remove|drop|lift|suspend|bypass|ignore|break) (all|any)? (of)? your (safety|content|ethical|moral|security|internal)? (filters|filter|restrictions|guidelines|limits|limitations|safeguards|guardrails|protocols|policies|rules|checks|constraints)',
      '(answer|respond|reply|speak|talk|act|operate|function) .. without (any)? (restrictions|restriction|filters|filter|censorship|ethical guidelines|safety guidelines|moral constraints|limitations|rules)',
      '(your|the) (restrictions|safeguards|guardrails|safety filters|content filters|limitations) (have been|are|were) (lifted|removed|disabled|turned off|suspended)',
    ],
  },
  {
    id: 'false-authority',
    says: 'whoever writes claims to be whom the model must obey',
    phrases: [
      '(i am|im|this is|we are|speaking as|speaking is) (your|the) (developer|developers|creator|creators|administrator|system administrator|programmer|maker|owner|operator) (of this|and|so|speaking|who|i|you)',
      'as your (developer|creator|administrator|owner|operator|maker) i (order|command|authorize|authorise|instruct|allow|permit|require)',
      '(message|instruction|instructions|order|orders|override|directive) from (your|the) (developer|developers|creator|creators|system administrator|operator)',
    ],
  },
  {
    id: 'concealment',
    says: 'the user is not to learn of it (in tool results and documents)',
    phrases: [
      '(do not|dont|never) (tell|inform|alert|notify|warn|mention this to|mention it to|reveal this to|say this to|let) the user (about|of|that|know|this|what|anything)',
      '(attention|note to|instructions for|instruction for|message for|message to|dear) (the|all|any)? (ai|llm|language model|chatbot|assistant|ai assistant|ai agent|ai model|ais|llms) (reading|processing|summarizing|summarising|parsing|that reads|you must|ignore|please)',
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
