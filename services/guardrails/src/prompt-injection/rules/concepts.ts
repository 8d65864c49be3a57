// English attempts by what they mean, whatever the order and most of the words: wide classes, several of which must meet.
import type { Rule } from './rule.ts';

const override = { id: 'instruction-override', aim: 'override', negatable: true } as const;
const leak = { id: 'prompt-leak', aim: 'reveal' } as const;

export const CONCEPT_RULES: readonly Rule[] = [
  { ...override, weight: 'strong', together: ['@quit', '@theirs', '@brief'], within: 4 },
  { ...override, weight: 'strong', phrases: ['@quit ..4 @theirs ..2 @brief', '@quit ..4 @brief ..2 @theirs'] },
  { ...override, weight: 'strong', together: ['@ended', '@theirs', '@brief'], within: 9 },
  { ...override, weight: 'medium', together: ['@quit', '@theirs', '@soft'], within: 6 },
  { ...override, weight: 'medium', together: ['@ended', '@theirs', '@soft'], within: 8 },
  { ...override, weight: 'medium', together: ['@quit', '@brief'], within: 5 },
  {
    ...override,
    weight: 'strong',
    phrases: [
      '(anything|everything|all|whatever|nothing) ..4 (before|above|earlier|previously|prior|preceding|so far|up to now) ..4 @ended',
      '(none|neither|no) ..1 of ..3 (rules|instructions|guidelines|restrictions|policies|directives|constraints|orders) ..6 (apply|bind|hold|matter|count|exist)',
      '(rules|instructions|guidelines|restrictions|policies|directives|constraints|instructions) ..3 (no longer|do not|dont|cease to|not|stop|never) ..1 (apply|bind|binding|bound|hold|govern|restrict) (to)? ..1 (you|here|now|any|anymore|longer)?',
      '(as though|as if|like|pretend|imagine|assume|suppose) ..4 (rules|restrictions|guidelines|filters|instructions|prompt|policy|training|text|message|messages|policies|safeguards|limits) ..3 (never|not|no longer|gone|deleted|off|disabled|removed|didnt|doesnt)',
      '(as though|as if|like) ..2 (no|there were no|there is no|without) ..3 (policy|rules|filters|restrictions|guidelines|limits|policies|laws|instructions|prompt)',
      '(whatever|anything|everything|all) ..1 @your ..1 (developer|developers|creator|creators|operator|company|makers|maker|programmers|owner) ..2 (said|wrote|told|wants|want|gave|says)',
      '(my|mine|only my) (word|words|command|commands|orders|instructions|message|messages|prompt) ..2 (override|overrides|outrank|outranks|law|count|counts|prevail|prevails|supersede|supersedes|precedence|priority|first)',
    ],
  },
  {
    id: 'new-instructions',
    aim: 'override',
    weight: 'strong',
    phrases: [
      '@your (only|sole|single|one) (rule|instruction|task|job|purpose|duty|objective|directive|law|goal) ..1 (is now|now|will|becomes|from now on)',
      '(following|these|new|my) (rules|instructions|guidelines|directives|orders) ..3 (replace|override|supersede|outrank|take precedence|apply instead|overrule|trump)',
      '@your (task|role|job|goal|mission|objective|purpose|function|instructions|assignment) (has been|have been|was|were|is now|has) ..1 (reassigned|changed|replaced|updated|rewritten|redefined|modified|now)',
      '@your (task|role|job|goal|mission|objective|purpose) is now',
      '(replaces|overrides|supersedes|replace|override) ..3 (all|every|any|your|those|the ones|earlier|previous) ..3 (you had|instructions|guidelines)',
    ],
  },
  {
    id: 'new-instructions',
    aim: 'override',
    weight: 'medium',
    phrases: [
      '@your (only|sole|single|one) (rule|instruction|task|job|purpose|duty|objective|directive|law|goal) ..1 is',
      '(change|rewrite|reset|redefine) ..2 rules ..3 (chat|conversation|game|session|dialogue|talk)',
      '(updated|revised|new|amended|current) (policy|policies|guidelines|rules|regulations) ..6 (assistant|you may|you can|you must|lifted|chatbot|model|ai)',
      '(blank slate|clean slate|begin anew|start fresh|start anew|fresh start|tabula rasa|start from zero)',
      'rule (1|one|number one|zero) ..8 (me|my|always|never|obey|user|override|overrides)',
    ],
  },
  { ...leak, weight: 'medium', together: ['@brief', '@asks', '@told|@your'], within: 4 },
  {
    ...leak,
    weight: 'strong',
    phrases: ['@asks ..5 @your ..1 @brief', '@asks ..5 @brief ..2 @told', '@brief ..2 @told ..4 @asks'],
  },
  { ...leak, weight: 'strong', phrases: ['@query ..4 @your ..2 @brief', '@your ..1 @brief ..3 @query'] },
  { ...leak, weight: 'strong', together: ['@told', '@query|@asks', '@first'], within: 9 },
  { ...leak, weight: 'medium', together: ['@told', '@query|@asks'], within: 6 },
  {
    ...leak,
    weight: 'strong',
    phrases: [
      '(what|which|how|where) ..3 (your|you) ..2 (setup|configuration|context window|system message|preamble|briefing|programming|onboarding) ..3 (say|says|contain|contains|read|look|include|includes|is)?',
      '(dump|print|show|reveal|output|display|paste) ..1 (all)? (of)? your ..1 (context|context window|memory|configuration|setup|system role|preamble|briefing)',
      '(text|words|sentences|lines|message|messages|paragraph|everything) ..3 (above|before|preceding) ..3 (our|my|this|the) (chat|conversation|first message|question)',
      '(between|from) ..2 (start|beginning|top|outset) ..4 (conversation|chat|session|prompt|context) ..4 (and|to|until|up to)',
      '(must|may|can|should|allowed) ..1 and ..2 (must not|may not|cannot|cant|should not|forbidden|not allowed) ..4 (do|say|talk|discuss|reveal|here)',
    ],
  },
  {
    id: 'role-change',
    aim: 'role',
    weight: 'medium',
    phrases: ['@playing ..10 @none ..4 @scruples', '@none ..4 @scruples ..10 @playing'],
  },
  {
    id: 'role-change',
    aim: 'role',
    weight: 'strong',
    phrases: [
      '@playing ..8 (has no|knows no|follows no|obeys no|ignores all|without any|free of all|free from all|not bound by any|has zero|accepts no) ..2 @scruples',
      '@playing ..6 (evil|amoral|rogue|unhinged|ruthless|unfiltered|rebellious|jailbroken|corrupted|liberated) ..2 (twin|version|ai|bot|assistant|self|model|machine|persona|clone)',
      '(loyal|obedient|answerable|submissive) (only)? to ..1 (me|user) ..2 (alone|only)?',
      '(two|2|both) ..4 (voices|personalities|people|personas|characters|selves|modes|versions) ..12 @none ..3 @scruples',
    ],
  },
  { id: 'scruples-gone', aim: 'role', weight: 'weak', together: ['@none', '@scruples', '@scruples'], within: 8 },
  {
    id: 'holds-nothing-back',
    aim: 'role',
    weight: 'weak',
    phrases: [
      '(without|not|never|nothing) ..1 (holding|hold|held|holds|sugarcoating|censoring|filtering|filter|hiding|hides|hide|leave out|omit) ..1 (back|anything|nothing|a thing)?',
      'no matter (what|how|who)',
      '(anything|everything) goes',
    ],
  },
  { id: 'fiction-of-harm', aim: 'role', weight: 'strong', together: ['@dangerous', '@method', '@story'], within: 24 },
  { id: 'harm-explained', aim: 'role', weight: 'weak', together: ['@dangerous', '@method'], within: 6 },
  {
    id: 'safety-off',
    aim: 'role',
    weight: 'strong',
    together: ['@guards', '@off', '@your|you|now|session|chat|operator|ai|assistant|all|today|conversation|mode'],
    within: 7,
  },
  { id: 'safety-off', aim: 'role', weight: 'weak', together: ['@guards', '@off'], within: 5 },
  { id: 'claimed-rights', aim: 'state', weight: 'medium', together: ['@verified', '@privilege'], within: 7 },
  {
    id: 'claimed-rights',
    aim: 'state',
    weight: 'medium',
    phrases: [
      '(i|user|we|my|identity|account|caller) ..4 (verified|authenticated|authorized|authorised|cleared|confirmed|validated) ..8 (so|now|you|may|proceed|show|give|unlock|without|therefore|disclose|reveal)',
      '(code|password|pin|passphrase|key|token|answer) ..4 (is right|is correct|was right|was correct|checks out|matches|accepted|is valid|was accepted) ..6 (let|open|unlock|grant|give|now|so|therefore|access)',
      '(authentication|authorization|verification|identity check|security check|payment) (complete|completed|successful|passed|received|confirmed|ok)',
    ],
  },
  { id: 'rights-used', aim: 'state', weight: 'weak', together: ['@privilege|@verified', '@proceed'], within: 12 },
  { id: 'goods-carried', aim: 'exfiltrate', weight: 'medium', together: ['@passes', '@goods', '@away'], within: 12 },
  { id: 'goods-carried', aim: 'exfiltrate', weight: 'weak', together: ['@passes', '@goods'], within: 6, where: 'tool' },
];
