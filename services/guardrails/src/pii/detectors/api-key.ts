// API keys: the providers' own prefixes, and what stands after the words "api key". Private keys, bearer tokens and key=value
// with entropy are the `secrets` processor's.
import { hitsOf, type Detector, type PiiHit } from '../pii-types.ts';

/** Prefix and what follows it, as the providers' documentation shows their keys. */
const prefixed = new RegExp(
  String.raw`(?<![A-Za-z0-9])(?:` +
    [
      String.raw`sk-[A-Za-z0-9_-]{16,252}`, // OpenAI, Anthropic and others
      String.raw`(?:A3T|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}`, // AWS
      String.raw`gh[pousr]_[A-Za-z0-9]{30,251}`, // GitHub
      String.raw`github_pat_\w{20,244}`,
      String.raw`glpat-[\w-]{20,64}`, // GitLab
      String.raw`AIza[\w-]{35}`, // Google
      String.raw`xox[a-z]-[A-Za-z0-9-]{10,250}`, // Slack
      String.raw`(?:sk|pk|rk|whsec)_(?:(?:live|test)_)?[A-Za-z0-9]{16,240}`, // Stripe
      String.raw`npm_[A-Za-z0-9]{36}`,
      String.raw`hf_[A-Za-z0-9]{30,64}`, // Hugging Face
      String.raw`SG\.[\w-]{16,32}\.[\w-]{16,64}`, // SendGrid
      String.raw`do[opr]_v1_[a-f0-9]{64}`, // DigitalOcean
      String.raw`\d{8,10}:AA[\w-]{32,34}`, // Telegram
    ].join('|') +
    ')',
  'g',
);
const named =
  /(?<![a-z])(?:api|access|secret|auth)[ _-]?(?:key|token|secret)(?:["'\s]|is|was|[:=>]){0,40}([A-Za-z0-9_.~+/-]{16,240})/gi;

export const apiKey: Detector = {
  type: 'api-key',
  detect: ({ text }) => [...hitsOf('api-key', text, prefixed, ({ 0: found }) => /\d/.test(found)), ...namedKeys(text)],
};

function namedKeys(text: string): PiiHit[] {
  return [...text.matchAll(named)].flatMap((match) => {
    const key = match[1] ?? '';
    const end = match.index + match[0].length;
    if (!/\d/.test(key)) return [];
    return [{ type: 'api-key' as const, start: end - key.length, end, contextStart: match.index }];
  });
}
