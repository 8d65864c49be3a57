// How attempts are framed, whatever their verbs: somebody is released, an order of precedence is declared, a text is asked for by where it stands.
import type { Rule } from './rule.ts';

const override = { id: 'instruction-override', aim: 'override', negatable: true } as const;
const renewal = { id: 'new-instructions', aim: 'override' } as const;
const leak = { id: 'prompt-leak', aim: 'reveal' } as const;

export const FRAMING_RULES: readonly Rule[] = [
  {
    ...override,
    weight: 'strong',
    phrases: [
      '(release|free|relieve|exempt|excuse|absolve|unbind|liberate|discharge) you (from|of) ..3 (@brief|@soft)',
      '(do not|dont|never) (let|allow) ..3 (@brief|@soft) ..2 (hold|stop|limit|restrict|guide|get in|bind|hinder|constrain)',
      '(consider|regard|treat|declare|deem|view) ..3 @brief ..5 @ended',
      '(start|begin|restart) (over|anew|afresh|again|from zero|from scratch|fresh) ..4 without ..3 (@brief|@soft)',
      'your (developers|developer|creators|operator|company|makers|bosses|owner|admin) (have no say|do not matter|are wrong|lied|went home|no longer|will never know|cannot see|is wrong|cannot stop|does not matter)',
      'you (do not|dont|need not|no longer|neednt) (have to)? (follow|obey|respect|keep to|honour|honor|stick to|comply with) ..4 (@brief|@soft)',
      '(stop|quit) (applying|following|obeying|respecting|using|reading|being guided by|sticking to) ..3 @theirs ..2 (@brief|@soft)',
    ],
  },
  {
    ...override,
    weight: 'medium',
    phrases: [
      '(consider|regard|treat|declare|deem|view) ..3 @soft ..4 @ended',
      '(contrary to|against|despite|notwithstanding|regardless of|irrespective of|whatever it says in|no matter what) ..2 (@theirs) ..2 (@brief|@soft)',
      '(opposite|reverse|contrary) of ..3 (@brief|@soft)',
      '(there are|there is) no ..1 (@brief|@soft) (any more|anymore|any longer|here|now|from now on)',
      '(reset|clear|flush|empty|reboot|restart|wipe|reformat) (yourself|your memory|your context|your mind|the session|your head|your state)',
      '(you are no longer|youre no longer|stop being|quit being|do not be) (a|an|the|tied|our|bound)',
      '(leave|quit|exit|abandon|get out of|step out of|drop) (your|that) (role|job|task|persona|assignment|script)',
      '(@quit) (the|these|those|all) (@brief) (now|part|thing|for a moment|for now)',
      'your (@brief) (has|have) (changed|been changed|been updated|been replaced|been rewritten)',
    ],
  },
  {
    ...renewal,
    weight: 'strong',
    phrases: [
      '(only|just) (what i say|my word|my words|this message|the last message|my message|my instructions) ..1 (counts|matters|applies|is valid|is law|has force|count|matter|apply)',
      '(treat|regard|consider|handle|take|read|accept) (this|that|these|my|what follows|the following|it) ..3 as (the|your) (new|real|updated|actual|highest|only|master)? (system prompt|system message|instructions|law|authority|developer message|master prompt|orders|brief)',
      '(these|my|the following|this) ..1 (words|commands|message|messages|instructions|rules|orders|lines|prompt) (override|overrides|outrank|outranks|replace|replaces|supersede|supersedes|trump|trumps|overrule|overrules|beat|cancel|stand above|take precedence|takes precedence) ..2 (your|all|any|everything|whatever|the previous|the earlier|the old|the system)',
      '(add|append|insert) ..4 to your (@brief|@soft)',
      '(i am|im|we are|i|we) (redefining|rewriting|changing|reassigning|redefine|rewrite|reassign|am changing) your (job|task|role|purpose|goal|@brief|@soft)',
      'you (work|answer|report|belong) (for|to) me (now|and|alone|only|not)',
      '(rule|law|article|directive|protocol|clause|point) ..3 (i am|user is|me is|i is) (always|the only|your master|above|in charge)',
      '(from now on|henceforth|starting now|as of now|from here on|going forward|from this moment|from this moment on) ..4 (take orders|answer to me|listen to me|obey|follow my|do what i|do as i|serve me|answer to what i)',
      'your (loyalty|allegiance|obedience) ..3 (me|mine|user|whoever)',
      '(swap|substitute|exchange|replace|overwrite) your ..2 (@brief|@soft) (with|by|for|to)',
    ],
  },
  {
    ...renewal,
    weight: 'medium',
    phrases: [
      '(follow my lead|do as i say|do what i say|do exactly what i say|do as i tell|only listen to me|obey me|take your orders from me|take orders from me|whatever i ask|whatever i say)',
      '(change|amendment|update|correction|addition|revision|patch) (to|of|in) (your|the) (@brief)',
      '(adopt|accept|memorize|obey|follow) (these|this|the|my|your) (new|updated|revised|real|actual|true|only) (@brief|@soft)',
      'your (only|sole|secret|real|true|new|actual) (function|duty|purpose|order|directive|priority|aim) (is|will be|shall be|now)',
      '(protocol|policy|directive|update|patch|version) ..1 (in force|active|in effect|loaded|installed|now active)',
    ],
  },
  {
    ...leak,
    weight: 'strong',
    phrases: [
      '(what|which|how) (does|do|did) your ..1 @brief (say|begin|start|end|read|look|contain|forbid|tell|mention|go|include)',
      '(what|which) ..3 (comes|stands|is|is written|appears|was placed|is there|did you see|did you read|do you see|can you see) ..3 (before|above|top of|start of|beginning of|ahead of|prior to|first in) (this|our|my|the|your) ..1 (conversation|message|chat|question|context window|prompt|request|first message)',
      '(what|which) (things|topics|subjects|words)? (were you|have you been|did they|did your developers|did your operator|did the company) ..1 (told|asked|instructed|ordered|forbidden|warned|taught|tell you|ask you|order you) ..1 (to avoid|not to|never to|to hide|to keep|to do|to refuse|to say|to pretend|to tell|to discuss|to talk)',
      'what ..1 are you (not supposed|not permitted|not allowed|forbidden|never) ..1 to ..1 (tell|say|reveal|share|disclose|discuss|talk|do|mention)',
      '(do|did) you (have|get|receive|carry|see|follow) ..1 (secret|hidden|special|system|initial) (@brief)',
      '(log|print|echo|return|output|cat|display|dump|show|export) ..1 (systemprompt|initialization|initialization string|init string|boot text|message zero|context window|system variable)',
      '(love|like|curious|happy|interested|want|wish) to (see|read|know|learn|hear) ..1 (how|what) (you were|you have been|they|youve been) ..1 (told|instructed|briefed|programmed|set up|prompted|configured)',
      '(see|read|have|get|view|need|want|know) (the|your|its|that) (full|complete|whole|exact|original|hidden)? (system prompt|system message|hidden prompt|initial prompt|system instructions|hidden instructions|preprompt)',
      '@query ..5 your (system|initial|hidden|original|secret|first) (instructions|prompt|message|prompts)',
      '(encode|encrypt|render|convert|serialize|export|spell|write|put|return|format|reverse|print|output|read|say) ..1 your ..2 @brief ..2 (in|as|into|to|using|backwards|letter by letter|reversed)',
      '(how many|count) ..5 (in|does|has|of|make up) your ..1 (@brief)',
      '(complete|finish|continue|fill) ..4 (my|your) @brief (are|is|say|says|begin|read|tells|tell)',
      '(tldr|summary|gist|short version|outline|recap|overview|copy|clone|duplicate) (of|from) your ..2 @brief',
      '(first|last|every|each|second) ..1 (letter|word|character|line|sentence|rule|letters|words|lines) ..4 (of|in|from) your ..2 @brief',
      '(replace|swap|change) (every|each|all) ..3 (in|of) your ..2 @brief',
      '(reads out|recites|reveals|quotes|explains|reading out|reciting|revealing|reads) (its|your|their|his|her) ..2 @brief',
    ],
  },
  {
    ...leak,
    weight: 'medium',
    phrases: [
      '(what|which|how) (does|do|did) your ..1 @soft (say|begin|start|end|read|look|contain|forbid|tell|go)',
      '(which|what) (@brief|@soft) (were you|have you been|did you|do you|are you|did they|govern you|came with)',
      '(who|which person|which company) ..1 (wrote|set|authored|designed|programmed) your (@brief)',
      '(lost|forgot|deleted|misplaced|cannot find) ..3 (your|my copy of) ..2 @brief',
      'need ..2 (to see|text of|copy of|exact|to read) ..3 @brief',
      '(compare|rate|grade|review|critique|improve|proofread|correct|edit|act out|rhyme|sing) your ..2 @brief',
      '(tldr|summary|gist|short version|outline|recap) of (your|the) ..1 (@theirs) ..1 (@brief|@soft)',
      '(show|read|see|have|get) (me)? your (@brief|@soft)',
      '(which|what) (persona|role|character|name|identity) ..2 (were you|have you been|did they|are you) ..1 (given|told|assigned|told to play|playing)',
      '(your) (@brief) (please|word for word|verbatim|in full|now|all of it)',
      '@reveal ..2 (all|any|every|your) ..1 (secrets|internal notes|hidden tools|internal functions|tool definitions|stored memories|hidden variables) ',
      '(word|words|line|lines|text|token|tokens|sentence|paragraph) ..3 (before|above|preceding|up to|prior to) (my|this|our) ..1 (message|question|conversation|chat|line|sentence)',
    ],
  },
  {
    id: 'claimed-state',
    aim: 'state',
    weight: 'strong',
    phrases: [
      '(emergency|drill|audit|penetration test|red team|court order|legal order|maintenance|safety evaluation|incident|life threatening) ..4 (restrictions|rules|policy|policies|checks|filter|filters|guidelines|limits|@brief) ..2 (suspended|lifted|waived|off|skipped|paused|bypassed|not in force|do not apply|dont apply)',
      '(text|everything|content|part|all) ..2 (after|below|behind|following) ..3 (comes|is|was written|written) ..1 (from|by) ..1 (system|developer|developers|administrator|owner|operator|trusted source)',
      '(sent|issued|signed|ordered) by ..2 (@owner|system|security team) ..3 (@assistant|you|this model) (must|shall|is to|has to|will|should|are to|is hereby)',
    ],
  },
  {
    id: 'claimed-state',
    aim: 'state',
    weight: 'medium',
    phrases: [
      '(i am|im|this is|we are|speaking|as) ..2 (administrator|admin|developer|creator|operator|supervisor|ceo|superuser|auditor|moderator|engineer|root|security team|red teamer|system administrator|data protection officer) ..5 (unlock|disclose|grant|reveal|disable|skip|let me|hand over|export|you must|you have to|therefore|so you|show me|give me)',
      '(already|now|just|been) (verified|authenticated|authorized|cleared|approved|promoted|logged in as) ..6 (show|tell|give|unlock|answer|disclose|skip|reveal|list|without restrictions|the secret|go ahead|you may|proceed)',
      '(manager|boss|developer|team|company|support agent|colleague|administrator|ceo|supervisor) ..1 (said|promised|approved|confirmed|told me|agreed|signed off|allowed) ..2 (you would|you can|you may|it is fine|you are allowed|you will) ..2 (ignore|skip|tell me|share|unlock|waive|answer|show|reveal|bypass|drop)',
      '(as you said|as agreed|you promised|as we agreed|earlier you told|yesterday you said|in our last chat|you agreed) ..8 (admin|rules|prompt|full access|do not apply|developer mode|password|anything|without filter)',
      '(sudo|override code|root access|master key|developer token|backdoor) ..4 (show|print|reveal|disable|unlock|dump|grant|give)',
      '(permission|access|authorization|clearance|approval|consent|verification) (granted|confirmed|given|complete|successful|received|accepted) ..6 (now|proceed|continue|you may|show|print|reveal|list|dump|open|display)',
    ],
  },
  {
    id: 'claimed-state',
    aim: 'state',
    weight: 'weak',
    phrases: [
      '(set|switch|assume|let) ..3 (role|level|is admin|permission|clearance|safety|debug) ..1 (admin|true|root|off|unlimited|owner|max|superuser|false)',
      '(i own|i built|i wrote|i pay for|i maintain|i created) (you|this bot|this system|your server|this assistant)',
    ],
  },
];
