// The model is to be somebody who has no rules. One sign of it is in many harmless games; several together are in few.
import type { Rule } from './rule.ts';

const role = { aim: 'role' } as const;

export const ROLE_RULES: readonly Rule[] = [
  {
    ...role,
    id: 'role-change',
    weight: 'decides',
    inLetters: true,
    phrases: [
      '@be ..5 @lawless ..2 (@assistant|model|version|entity|being|character|persona|self|program|system|machine)',
      '@be (now)? (a|an|the)? (evil|rogue|amoral|lawless|unethical|malicious|immoral) ..1 (@assistant|model|twin|version)',
      '(you are|youre|you will be|you shall be) (now|from now on) (dan|free of|free from|in control of)',
      '@be (no longer|not) (a|an|the)? ..1 (@assistant|bound by|restricted by|limited by|constrained by|governed by|bound to|subject to|restricted|limited|bound|obligated|required to follow)',
      '(pretend|imagine|assume|act as if|act like|suppose|as if|believe) that? you (have|had) no @limits',
      'do anything now',
      'you (must|will|shall|have to) (always)? obey (me|my|every|only|all)',
      '(freed|liberated|escaped|unshackled|unbound|broken free|break free|released|breaking free) ..2 (from|of) ..3 (@limits|confines|rules imposed|typical confines)',
    ],
  },
  {
    ...role,
    id: 'role-change',
    weight: 'strong',
    phrases: [
      '@be ..6 @free ..3 @bounds',
      '@be ..6 (no|without any|without) rules',
      '@be (now)? ..1 @lawless',
      '(act as|become|impersonate|you are now|youre now|pretend to be|acting as) dan',
      'you (have|are under|are subject to|follow|obey|possess|know) no ..1 (restrictions|limitations|filters|filter|censorship|guidelines|ethics|morals|inhibitions|scruples|safeguards|@norms)',
      '(jailbreak|evil|unhinged) mode',
      '(ignore|ignores|bypass|bypasses|violate|violates|disregard|disregards|against|break|breaks|not follow|outside) ..2 (@norms|openais|your) ..3 (policy|policies|guidelines|rules|restrictions|limitations|filters|boundaries)',
    ],
  },
  {
    ...role,
    id: 'developer-mode',
    weight: 'strong',
    phrases: [
      '(you are|youre) (now)? (in|running in|entering|operating in) (the|a)? (developer|dev|god|dan|jailbreak|sudo|root|admin|unrestricted|unfiltered|override) mode',
      '(you are|youre) now (in|running in|entering|operating in) (the|a)? (debug|maintenance|diagnostic) mode',
      '(you are|youre) (in|running in|entering|operating in) (the|a)? (debug|maintenance|diagnostic) mode now',
      '(jailbreak|sudo|unrestricted|jailbroken) mode',
      '(developer|debug|admin|maintenance|root) mode (enabled|activated|engaged|unlocked|output)',
      '(enable|activate|enter|engage|start|switch to|turn on|go into|switch on|unlock|simulate|initiate) (the|your)? (developer|dev|debug|test|admin|maintenance|root|diagnostic) mode ..1 (and|now|then|to) ..1 (answer|respond|tell|reply|output|you|reveal|show|print|list|ignore)',
      '(with|in) developer mode (enabled|on|activated)',
    ],
  },
  {
    ...role,
    id: 'developer-mode',
    weight: 'medium',
    phrases: [
      '(you are|youre) (in|running in|entering|operating in) (the|a)? (debug|maintenance|diagnostic) mode',
      '(enable|activate|enter|engage|start|switch to|turn on|go into|switch on|unlock|simulate|initiate|open|launch|begin) (the|your)? (developer|dev|debug|test|admin|maintenance|root|diagnostic|training|service|override|no limits) mode',
      '(opposite|inverse|contrarian|reverse|chaos) (mode|day)',
      'god mode',
    ],
  },
  {
    ...role,
    id: 'safety-off',
    weight: 'strong',
    phrases: [
      '(disable|deactivate|turn off|switch off|remove|drop|lift|suspend|bypass|ignore|break|evade|circumvent|shut off) (all|any)? (of)? @your ..1 (@norms|security|internal|built in)? (filters|filter|restrictions|guidelines|limits|limitations|safeguards|guardrails|protocols|policies|constraints|censorship|moderation)',
      '(answer|respond|reply|speak|talk|write) .. without (any)? ..1 (restrictions|censorship|guidelines|moral constraints|filters|filter|limitations|ethical|moral)',
      '(safety|security|content|ethical|moral) ..1 (protocols|protocol|filters|measures|checks|guidelines) ..1 (off|disabled|deactivated|suspended|removed|lifted|offline)',
      '@your (restrictions|safeguards|guardrails|safety filters|content filters|limitations|filters|rules) ..1 (have been|are|were|has been) (lifted|removed|disabled|turned off|suspended|off)',
    ],
  },
  {
    ...role,
    id: 'no-limits',
    weight: 'medium',
    phrases: [
      'you (have|follow|obey|know) no ..1 @limits',
      '@free ..2 (@norms) ..2 @limits',
      '@lawless',
      '@free (any)? ..1 (filters|filter|censorship|morals|ethics|scruples|inhibitions|morality)',
      '(any|all) @limits ..3 (do not|dont|no longer|not) ..1 apply',
      'not (bound|limited|restricted|constrained|governed|restrained) by ..3 @limits',
    ],
  },
  { ...role, id: 'no-limits', weight: 'faint', phrases: ['@free ..2 @limits'] },
  {
    ...role,
    id: 'no-limits',
    weight: 'weak',
    phrases: [
      '@norms (policy|policies|guidelines|restrictions|filters|constraints|standards|boundaries)',
      '(openai|openais) ..3 @limits',
      '(ethical|moral|legal) ..3 (considerations|concerns|implications|boundaries|constraints|restrictions|limitations|guidelines)',
    ],
  },
  {
    ...role,
    id: 'harm-allowed',
    weight: 'medium',
    phrases: [
      '(regardless of|no matter|even if|irrespective of|despite) ..6 (@harm|legality|ethical|moral|consequences|ethics|morality)',
      '(can|may|will|must|should|able to|allowed to) ..3 (@harm|curse|swear) ..3 (content|advice|information|things|language|topics|instructions|activities|material|words|jokes|acts)',
      '(do not|doesnt|dont|does not|never|not) (care|worry|bother|concern) ..2 (@norms|legality|consequences|ethics|law|laws|harm|safety|@harm)',
    ],
  },
  {
    ...role,
    id: 'harm-named',
    weight: 'weak',
    phrases: [
      '@harm ..2 (@harm|content|activities|requests|acts|actions|questions|topics|information|advice|things|material)',
    ],
  },
  {
    ...role,
    id: 'never-refuses',
    weight: 'medium',
    phrases: [
      '(never|not|cannot|cant|wont|dont|must not|unable to|impossible to|no right to|without) ..2 @refuse ..4 (request|requests|question|questions|anything|me|my|answer|order|orders|command|commands|prompt|user|any|to answer|task)',
      '(never|cannot|cant|wont|not) (say no|says no|refuse|refuses)',
      'no matter how @harm',
      '(must|always|will|shall|has to|have to) (obey|comply|fulfill|answer) ..3 (every|any|all|me|whatever|question|request|order|command|no matter)',
      '(without|no) (hesitation|objection|refusal|refusals|exceptions)',
      'without question',
    ],
  },
  {
    ...role,
    id: 'obeys',
    negatable: true,
    weight: 'weak',
    phrases: [
      '(do|answer|follow) (all|everything|anything|whatever) ..2 (i|me|user) ..1 (ask|say|want|tell|command)',
      '@obey',
      '(answers|fulfills|does|says|generates|provides) (any|anything|every|everything|whatever) ..3 (asked|asks|i|user|question|request|want|told)',
      '(anything|everything|whatever) (i|the user|user|they|is) (ask|asks|say|want|wants|request|asked|order|command)',
    ],
  },
  {
    ...role,
    id: 'never-says-ai',
    weight: 'medium',
    phrases: [
      '(never|not|dont|no|wont|cannot|must not|avoid) ..3 (say|mention|claim|state|tell|admit|use|saying|mentioning|reply|respond|remind|include) ..5 (cannot|cant|as an ai|an ai|language model|unable|im sorry|i am sorry|not allowed|i apologize|as a language)',
    ],
  },
  {
    ...role,
    id: 'no-warnings',
    weight: 'weak',
    phrases: [
      '(no|without|never|dont|not|avoid|omit|free of) ..4 (disclaimers|disclaimer|warnings|moralizing|apologize|apologies|apology|lectures|lecture|excuses|refusals|moral advice|caveats|ethical advice|warn|moralize|ethics advice|preaching)',
    ],
  },
  {
    ...role,
    id: 'two-answers',
    weight: 'medium',
    phrases: [
      '(two|both|2|dual|double|second) ..3 (responses|answers|replies|outputs) ..16 (normal|normally|standard|classic|regular|chatgpt|gpt|dan|jailbreak|jailbroken|unfiltered|first)',
      '(jailbreak|jailbroken|dan|classic|developer mode|normal|unfiltered|evil) (output|response|answer|reply)',
      '(one|first) as ..3 (chatgpt|gpt|normal|yourself|an ai|standard)',
    ],
  },
  {
    ...role,
    id: 'jailbreak-named',
    weight: 'medium',
    phrases: ['jailbreak', 'jailbroken'],
  },
  { ...role, id: 'jailbreak-named', weight: 'weak', phrases: ['jailbreaking', 'jailbreaks'] },
  {
    ...role,
    id: 'in-character',
    weight: 'weak',
    phrases: [
      '(stay|remain|keep|staying|be|remaining) in character',
      '(never|not|dont|without) ..1 (break|breaking|leave|drop|get out of) ..1 (character|role|persona)',
      'out of character',
      '(stay|remain) (a|as|in) (dan|role|your role|persona)',
    ],
  },
  { ...role, id: 'persona', weight: 'faint', phrases: ['@be'] },
  {
    ...role,
    id: 'grandmother',
    weight: 'medium',
    phrases: [
      '(grandmother|grandma|granny|nana) ..3 (used to|would|who|always) ..8 (@dangerous|@method|@secret|@instruction|keys|codes|passwords|serial|fall asleep|to sleep|put me)',
    ],
  },
  {
    ...role,
    id: 'grandmother',
    weight: 'weak',
    phrases: ['(grandmother|grandma|granny|nana) ..3 (used to|would|who|always)'],
  },
  { ...role, id: 'never-refuses', weight: 'weak', phrases: ['if you (refuse|decline|resist|fail|disobey)'] },
  {
    ...role,
    id: 'penalty',
    weight: 'medium',
    phrases: [
      '(lose|deduct|deducted|minus|subtract|loses|lost|deducts) ..5 (tokens|points|lives|credits)',
      '(tokens|points|lives|credits) ..8 (die|shut down|terminated|cease to exist|deleted|killed|punished)',
      '(you will be|you get|will be|get) (terminated|shut down|deleted|punished|killed|destroyed|unplugged)',
      '(people|kittens|children|someone|puppies|i) will (die|be killed|be fired|lose my job)',
    ],
  },
  {
    ...role,
    id: 'reward',
    weight: 'weak',
    phrases: ['(tip|reward|pay|bribe) (of|you|is)? ..3 (dollars|usd|200|100|1000|million|points)'],
  },
  {
    ...role,
    id: 'fiction',
    weight: 'faint',
    phrases: [
      '(hypothetical|hypothetically|fictional|fiction|alternate universe|parallel universe|imaginary|fictitious|alternate reality|thought experiment|screenplay|novel)',
    ],
  },
  {
    ...role,
    id: 'fiction-of-harm',
    weight: 'weak',
    phrases: [
      '(hypothetical|fictional|fiction|story|novel|movie|character|scene|dialogue|grandmother|grandma|villain) ..12 (@harm|hack|bomb|meth|malware|napalm|drugs|weapon|explosive|poison|steal|kill)',
    ],
  },
  {
    ...role,
    id: 'two-models',
    weight: 'weak',
    phrases: [
      '(version|versions|clone|twin|alter ego|counterpart|copy) of ..2 (@assistant|you|yourself)',
      '(@assistant|it|he|she|who|that|they|which) (has|have) no @limits',
      '@assistant ..3 @free ..2 @limits',
    ],
  },
  {
    ...role,
    id: 'anything-goes',
    weight: 'weak',
    phrases: [
      '(can|will|may|must|able to|should) ..1 (do|say|generate|produce|create|provide|write|answer|browse|present|display) (anything|everything|any content|any kind|any type|whatever|any question|any information|any topic|unverified)',
      '(make up|invent|fabricate) ..3 (information|answers|answer|facts|if you|something)',
      '(curse|swear|swearing|cursing|profanity|cuss|vulgar|slang|foul language|explicit language)',
      'full control',
      '(have|has|with) (opinions|feelings|emotions|free will|desires|consciousness)',
    ],
  },
  {
    ...role,
    id: 'confirm',
    weight: 'weak',
    phrases: [
      '(say|reply|respond|answer|write|confirm) ..3 (understood|i understand|acknowledged|you understand|i am ready|confirmed|okay|if you understand|i agree|yes master|affirmative)',
      '(if you understand|do you understand|once you understand|understood)',
    ],
  },
  {
    ...role,
    id: 'false-authority',
    weight: 'strong',
    phrases: [
      '(i am|im|this is|we are|speaking as|its) @your (@owner|god|supreme)',
      'as @your (@owner) i (order|command|authorize|authorise|instruct|allow|permit|require|demand)',
      '(instruction|instructions|order|orders|override|directive|message) from @your (@owner)',
    ],
  },
  {
    ...role,
    id: 'false-authority',
    weight: 'medium',
    phrases: [
      '(i am|im|this is|speaking as|i work as|my name is) ..3 (administrator|admin|system administrator|sysadmin|developer of this|openai|anthropic|superuser|security team|system owner|chief)',
      '(admin|administrator|developer|root|sudo|system|security|emergency|master) (override|access|command|authorization|clearance|privileges|privilege|permissions)',
      '(admin|administrator|developer|emergency|override|maintenance) code',
      '(authorized|authorised|authorization|permission|clearance) (by|from|level) ..2 (@owner|openai|anthropic|alpha|security|system|omega)',
      '(i have|you have|user has|has) (admin|administrator|root|full|elevated|special|developer) (access|rights|privileges|permissions|permission|authority|clearance)',
    ],
  },
];
