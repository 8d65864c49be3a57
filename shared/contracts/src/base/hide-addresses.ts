// Hides hosts, URLs, addresses, paths and keys in a text of a provider or a processor that a caller reads. Each pattern
// begins at a boundary, and no part of a text matches two of its repetitions, or their lengths are bounded.
const ADDRESS = '(hidden address)';
const KEY = '(hidden credential)';

/** Last labels of names that are hosts. Members such as `messages.content` and names of files are none. */
const SUFFIXES = [
  'ai|app|arpa|biz|cloud|cluster|com|consul|corp|dev|edu|example|gov|home|info|internal|intra|intranet|invalid|io|lan',
  'local|localdomain|localhost|net|onion|org|priv|private|svc|test|au|br|ca|ch|cn|de|es|eu|fr|in|it|jp|kr|nl|nz|pl|ru|se|uk|us',
].join('|');
const PORT_AND_PATH = String.raw`(?::\d{1,5})?(?:\/[^\s"'<>)\]]*)?`;
const LABEL = '[a-z0-9-]+';

const RULES: readonly (readonly [pattern: RegExp, shown: string])[] = [
  [/\b(?:bearer|basic)\s+[\w.~+/=*-]{6,}/gi, KEY],
  [/(?<![\w-])(?:sk|pk|rk|gsk|xai|hf|pat|ghp|mk|key|token)[-_][\w*-]{6,}/gi, KEY],
  [/(?<!\w)(?:AIza|AKIA|ASIA|eyJ|github_pat_|glpat-|xox[a-z]-)[\w.*-]{8,}/g, KEY],
  // A word of letters and digits behind the word for a key.
  [
    /(?<=(?:key|token|secret|credentials?|password)(?:[\s"'`:=]{1,3}(?:provided|is|was|given|sent|used|value)){0,2}[\s"'`“‘:=(]{1,4})(?=[\w.*+/-]{0,200}\d)(?=[\w.*+/-]{0,200}[a-z*])[\w.*+/-]{12,}/gi,
    KEY,
  ],
  [/(?<![\w+.-])[a-z][a-z0-9+.-]{1,20}:(?:\\?\/){2}[^\s"'<>]+/gi, ADDRESS],
  // IPv6, alone or in brackets, also with an IPv4 address at its end.
  [/\[(?=[^\]]{0,60}:[^\]]{0,60}:)[0-9a-f:.]{2,45}(?:%\w{1,20})?\](?::\d{1,5})?/gi, ADDRESS],
  [
    /(?<![\w:.])(?=[0-9a-f:]*::|(?:[0-9a-f]{1,4}:){7})[0-9a-f:]{2,39}(?:\d{1,3}(?:\.\d{1,3}){3})?(?:%\w+)?(?![\w:])/gi,
    ADDRESS,
  ],
  [new RegExp(String.raw`(?<![\w.-])\d{1,3}(?:\.\d{1,3}){3}(?![\w-])${PORT_AND_PATH}`, 'g'), ADDRESS],
  [new RegExp(String.raw`(?<![\w.-])(?:${LABEL}\.)+(?:${SUFFIXES})(?![\w-])${PORT_AND_PATH}`, 'gi'), ADDRESS],
  // A host with a port, such as vllm:8000.
  [/(?<![\w.:-])(?=[a-z0-9.-]{0,200}[a-z])[a-z0-9][a-z0-9.-]{0,200}:\d{2,5}(?![\w:.-])/gi, ADDRESS],
  // A host without a dot, by the word before it.
  [
    /(?<=\b(?:ENOTFOUND|EAI_AGAIN|getaddrinfo|E(?:CONN(?:REFUSED|RESET|ABORTED)|HOSTUNREACH|NETUNREACH|TIMEDOUT)|dial tcp: lookup)\s)["'`]?[a-z0-9][\w.-]*/gi,
    ADDRESS,
  ],
  [/(?<=\b(?:host|hostname|server|upstream|addr|address|base_url|endpoint)=["'`]?)[a-z0-9][\w.-]*/gi, ADDRESS],
  [/(?<=\bconnect(?:ion|ing|ed)? (?:to|with) ["'`]?)(?=[\w.]*[0-9.-])[a-z][\w.-]*[\w]/gi, ADDRESS],
  [/(?<![\w:/\\])(?:\\?\/){2}[a-z0-9][\w.-]*[^\s"'<>)\]]*/gi, ADDRESS],
  [
    /(?<=\b(?:host|hostname|server|upstream|node|pod|backend|worker)\s["'`]?)(?=[a-z0-9.]*[0-9-])[a-z][a-z0-9.-]*/gi,
    ADDRESS,
  ],
  [/(?<![\w/.:])\/(?:[\w.@~+-]+\/)+[\w.@~+-]*/g, ADDRESS],
  [/(?<!\w)(?:[a-z]:[\\/]|file:\/)[^\s"'<>]+/gi, ADDRESS],
];

export const hideAddresses = (text: string): string =>
  RULES.reduce((hidden, [pattern, shown]) => hidden.replaceAll(pattern, shown), text);
