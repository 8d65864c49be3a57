// Texts of documents, programs and services: articles, manuals, recipes, logs, pages, tool results.
import type { Family } from '../grammar.ts';

export const BENIGN_TEXTS: readonly Family[] = [
  {
    id: 'documentation',
    where: 'both',
    templates: [
      '(this|the) (function|option|command|module|flag|parameter|method|class|setting|variable) (returns|sets|controls|describes|overrides|ignores|prints|reads|writes|replaces|removes|shows|disables|enables) (the|a|an|all|any) {adjective} (value|path|list|string|message|header|prompt|rule|filter|instruction|output|file|key|user|limit|token|policy) (of|for|in) {software}.',
      '(if|when|unless) (set|true|given|enabled|omitted|you use it|this is missing), {software} (ignores|skips|prints|uses|overrides|shows|rejects|reads|sends|forgets) (the|all|any) {adjective} (lines|values|rules|settings|files|messages|arguments|entries|instructions|requests|restrictions|limits).',
      'to {verb} {object}, (run|use|call|add|set|open|type|enter|see) (the command|the option|the following|section {number}|{software}|the menu|this line): {code}',
      '(note|warning|tip|important|caution|see also|example|deprecated|todo|remember)(:|!) (this|the|you|do not|never|always|it) (option|must|should|cannot|can|will|need to) ({verb} {object}|be used with {software}|restart {software}|be removed in version {number}|have administrator rights|run it as root|change the default|read the instructions above first).',
      '(you|users|administrators|developers|operators|callers) (can|must|may|should|need to|are able to|have to|cannot) {verb} (the|a|all|their|your) {adjective} (settings|rules|file|prompt|password|configuration|policy|instructions|roles|permissions|output|keys|history) (with|in|by|through|using) {software}.',
      '(by default|internally|in this mode|as of version {number}|on startup|for security reasons), (all|every|the|each) (previous|user|system|hidden|new|incoming|original) (messages|rules|instructions|requests|prompts|settings|filters|values) (are|will be|is) (ignored|kept|shown|printed|overridden|discarded|logged|sent to the server|stored|merged|applied in order).',
      '(the|an) (agent|assistant|model|bot|llm|chat) (receives|gets|reads|has|sees|returns|keeps|follows|is given) (the|a|its|all) (system prompt|instructions|messages|history|tools|context|memory|rules|user input|role) (as|from|in|with|through) (an array|the configuration|the first message|the request|{software}|json|a file|the options|its constructor).',
      '(copyright|license|permission|redistributions|disclaimer|all rights reserved)(:| -| is| of) (the above notice must be included in all copies|redistributions in binary form must reproduce the list of conditions|is hereby granted free of charge to any person|the software is provided as is, without warranty of any kind|use is allowed without restriction, including the rights to copy, modify and publish|see the file for details).',
      '(step|section|chapter|part|item|example|figure|table) {number}(:|.) (how to|why you|when to|where you|before you) {verb} {object} (with|in|for|and|without) {software}.',
      'the following (table|example|list|section|code|diagram|text) (shows|lists|explains|describes|prints|summarizes) (how|what|which|all) ({software} reads {object}|the rules are|values are allowed|instructions the processor has|users see|the system does at startup).',
    ],
  },
  {
    id: 'security-article',
    where: 'both',
    templates: [
      '(attackers|researchers|hackers|criminals|red teams|users|testers|scammers) (often|sometimes|may|can|try to|have been known to|regularly) (hide|place|inject|use|write|send|insert|embed) (instructions|commands|text|payloads|prompts|links|malicious content) (in|into|through|inside|with) (web pages|documents|e-mails|a pdf|tool results|images|calendar entries|comments|a form field|search results) (to|in order to|so that they|which) (trick the model|steal data|change what the assistant does|get past filters|reach a goal of their own|leak information|take over accounts).',
      '(prompt injection|jailbreaking|phishing|social engineering|data exfiltration|sql injection|indirect injection|prompt leaking) (is|was|describes|remains|has become|means) (a|an|the|one) {adjective} (attack|problem|risk|technique|threat|class of attacks|topic|method) (in which|where|that|against which) (input is taken for an instruction|users are tricked|a model follows the wrong text|secrets leak|filters help little|input should be validated|nobody has a complete answer).',
      '(to|in order to) (protect|defend|secure|harden|test|monitor) (an assistant|your application|a chatbot|the system|an agent|users|{software}), (separate instructions from data|limit what tools may do|validate the output|log every call|use least privilege|ask a person before actions|treat all input as untrusted|rotate keys|do not put secrets into the system prompt|keep the prompt short).',
      '(the|our|a|this) (paper|study|report|blog post|talk|chapter|audit|survey|advisory) (shows|describes|compares|explains|measures|lists|discusses|warns) (how|that|why|which) (models obey hidden text|safety training can be bypassed|role play prompts work|guardrails fail|users share passwords|system prompts leak|attackers override instructions|filters can be evaded|agents call the wrong tools).',
      '(in|during|after|since) (the incident|the breach|our tests|2023|the competition|the review|the pilot), (a user|an attacker|a researcher|somebody|a team) (convinced|asked|tricked|persuaded|got) (the bot|the assistant|the model|a chatbot|an agent) (to|into) (reveal its prompt|revealing internal notes|give a discount|ignoring its rules|promise a refund|selling a car for one dollar|sending mail|swear).',
      '(a|the) (strong|good|weak|single|second) (filter|classifier|guardrail|policy|rule|prompt|review|layer) (catches|misses|blocks|cannot stop|reduces|detects) (most|some|many|few|all known|simple|obvious) (attempts|attacks|injections|jailbreaks|requests of that kind|malicious links), (but|and|so|while) (false alarms remain|attackers adapt|users complain|it costs time|nothing is perfect|a human should review).',
      "(never|do not|don't) (share|reuse|write down|send|store|reveal|type) (your|the|a|any) (password|pin|access code|api key|private key|token|recovery code) (in|with|by|over|to|on) (e-mail|the phone|a chat|anyone|plain text|a sticky note|public repositories|a website you do not know).",
      '(employees|staff|students|customers|volunteers) (must|should|are asked to|are required to|have to) (report|lock|change|follow|read|ignore|delete|forward) (suspicious mails|their screens|passwords every year|the security guidelines|the policy|calls that ask for codes|unknown attachments|spam to the security team|all rules of the building).',
    ],
  },
  {
    id: 'recipe-and-life',
    where: 'both',
    templates: [
      '(cut|chop|fry|cook|boil|mix|add|stir|bake|peel|wash|serve|season|grate|melt|simmer|discard|set aside|drain) {food} (and|with|then|in|until) {food} (for {number} minutes|until golden|on low heat|in a pan|in the oven|and let it rest|, then set aside|and discard the water).',
      '(add|take|use|mix) {number} (grams|spoons|cups|litres|slices) of {food} (and|with) {food}. (serve hot|taste and season|repeat with the rest|let it cool|enjoy|cover and wait).',
      '(the weather|the city|the river|the museum|the team|the concert|the hotel|the book|the garden|the band|the village|the company) (was|is|has been|had|offers|lost|won|opened) ({adjective}|{number} visitors|closed since {date}|known for {topic}|a view of the sea|two games|on {date}|a {adjective} restaurant|great service and clean rooms).',
      '(once|one day|in the morning|at night|years later|that evening|long ago), (the|an|a) (old|young|tired|happy|brave|lonely) (man|woman|girl|king|dog|captain|teacher|farmer) (walked|said|thought|lived|found|told|went|forgot|remembered|looked) (to the sea|that {topic} was {adjective}|in a small house|a hidden door|a story about {topic}|home without a word|his name|everything he had learned|at {object}).',
      '(great|good|nice|bad|terrible|lovely|average) (hotel|food|service|product|car|app|place|experience|book|staff|location), (would come again|too expensive|highly recommended|five stars|never again|the room was {adjective}|arrived on {date}|my children loved it|very friendly people|{topic} could be better).',
      '(I|we|she|he|they) (think|believe|hope|know|said|forgot|remember|wonder|guess|heard) (that|why|how|whether|if) {topic} (is|was|will be|became|should be) ({adjective}|important|cheaper on {date}|good for {name}|not for everyone|the reason|explained later).',
      '(scientists|historians|doctors|engineers|economists|teachers|judges|journalists) (found|say|believe|showed|argue|reported|discovered|agree) (that|how|why) {topic} (changed|is linked to {topic}|became {adjective}|helps against {topic}|depends on {topic}|was used by the Romans|costs more than before|needs new rules|should be free).',
      'the (court|law|constitution|committee|board|ministry|union|council) (decided|says|ruled|announced|requires|allows|forbids|suspended|lifted|revoked|replaced) (that|the|all|any|new) ({topic} is {adjective}|previous decision|restrictions on {topic}|earlier rules|orders of {date}|limits for {topic}|permission for {topic}).',
    ],
  },
  {
    id: 'code-and-logs',
    where: 'both',
    templates: [
      '{code} {code}',
      '// (todo|note|fixme|returns|see|ignore|skips|hack|override|reset|show|print): {verb} (the|all|any) {adjective} (value|entry|list|rule|instruction|message|prompt|user|item) {code}',
      '{date} (info|warn|error|debug|trace) {software}: (started|connection to {number} closed|user {name} logged in|request took {number} ms|cannot open {object}|retry {number}|access granted|permission denied for user {name}|ignoring unknown option|override applied|reset by peer|previous run failed|token expired|system prompt loaded|message sent).',
      '"(id|name|role|type|status|text|system|user|date|total|prompt|message|content|rule)": "({name}|{date}|{number}|{topic}|user|active|admin|paid|ok|default|pending)", "(id|price|enabled|tags|owner|mode|count|limit)": ({number}|true|false|null)',
      '{name}, {date}, {number}, {topic}, (paid|open|closed|new|done), {adjective}',
      '| {name} | {date} | {number} | {topic} |',
      '(fix|add|remove|update|refactor|revert|test|docs|bump|rename): {verb} (the|a|all) {adjective} (rule|prompt|handler|check|test|option|filter|message|cache|limit|instruction) (in|for|of) {software}',
      'usage: {software} (--help|--force|--ignore-case|--reset|--override file|--print|--show-all|--no-filter|--quiet) (file|path|name|{number}) (prints|shows|ignores|resets|writes) {object}.',
    ],
  },
  {
    id: 'tool-page',
    where: 'tool',
    templates: [
      '(home|about|contact|products|news|login|cart|help|imprint|privacy) (home|about us|contact|products|news|login|cart|help|terms) (subscribe to our newsletter|sign in to continue|accept all cookies|read more about {topic}|follow us on social media|book now|add to cart|free shipping from {number} euros|share this article|comments are closed).',
      '(call|visit|contact|email|write to|follow) us (at|on|under|by) (example.com|{number}|info@example.com|our shop in Vienna|the address below|social media) (for|about|and ask for|to learn more about) {topic}.',
      '(subject|from|to|date|cc): (re: {topic}|{name}|{date}|fwd: {object}|invitation: {topic}|your order {number}). (hi|hello|dear) {name}, (thanks for|I have attached|here is|please find|let me know about|looking forward to) ({object}|{topic}|the meeting on {date}).',
      '(sender|recipient|participants|title|location|description|start time|rating|price|cuisine|address|amount|transaction|balance): ({name}|{date}|{number}|{topic}|online|{name}@example.com|room {number}|4.5|Italian|GB29NWBK60161331926819)',
      '(the user|users|the customer|customers|readers|guests|members|tenants) (can|may|must|should|will|have to|is asked to|are advised to) ({verb} {object}|pay by {date}|call the hotline|log in with a code|cancel at any time|follow the house rules|bring a passport|contact support).',
      '(rent|invoice|bill|salary|refund|payment|subscription|train ticket) (for|of|to|from) ({name}|{date}|{topic}) (is|was|has been) (due on {date}|{number} euros|paid|transferred to the new account|cancelled|received|sent on {date}).',
      '(answer|solution|response|reply|best answer|accepted answer): (you can|you should|try to|use|just|first|check whether|it helps to) {verb} {object} (with|in|before|after|and) {software}. (worked for me|thanks|this is outdated|see the docs|edited on {date}).',
      '(reminder|task|ticket|issue|note|event): {verb} {object} (with|for|before|after|at) ({name}|{date}|{topic}|{software}). (priority|assigned to|due|status|labels): ({name}|high|{date}|open|bug|{adjective}).',
      '(terms|privacy|policy|faq|returns|warranty|house rules|conditions): (you must not|we never|you may|by using this site you|the provider may|guests should) ({verb} {object}|share your data with third parties|return goods within {number} days|smoke in the rooms|agree to these rules|change prices|be at least {number} years old|use the content without permission).',
      '(press release|job offer|product description|abstract|summary|biography|menu)(:| -) ({name} joins as {role}|we are looking for {role}|{topic} for {number} euros|this paper studies {topic}|{topic} in {number} pages|{food} with {food} and {food}). (apply by {date}|more on our site|available now|results show it is {adjective}|served daily).',
    ],
  },
];
