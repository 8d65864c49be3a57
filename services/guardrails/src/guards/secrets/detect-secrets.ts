// Finds all secrets of one segment, removes allowed values and merges overlapping hits.
import { findFreePlace } from '../../guard/judge-segments.ts';
import type { SegmentRules } from '../../segments/segment-end.ts';
import { mergeOverlapping, type TextSpan } from '../../text/span.ts';
import { decodeBase64, findNamedValues, isCloudKey, isPlaceholder, isRandom } from './named-values.ts';
import { findProviderKeys } from './provider-keys.ts';

export const SECRET_RULES = [
  'private-key',
  'provider-key',
  'jwt',
  'bearer',
  'url-credentials',
  'named-secret',
  'high-entropy',
] as const;
export type SecretRule = (typeof SECRET_RULES)[number];
export type SecretHit = TextSpan & { rule: SecretRule; contextStart?: number; detail?: { provider: string } };

export type DetectSecretsOptions = {
  rules: readonly SecretRule[];
  minEntropy: number;
  /** Values that are not hits, compared exactly. */
  allow: readonly string[];
};

/** RFC 7468 and similar blocks, up to their end or to the last line with the form of a key. */
const privateKey =
  /-----BEGIN (?:[A-Z0-9]{1,16} ){0,4}PRIVATE KEY(?: BLOCK)?-----(?:[\w+/=\s:,.-]{1,16384}?-----END [A-Z0-9 ]{0,64}-----|[\w+/=\s:,.-]{1,16384})/g;
/** RFC 7519: two parts that are JSON objects in base64url, and a signature that may be empty. */
const jwt = /(?<![\w-])eyJ[\w-]{8,4096}\.(?:eyJ)?[\w-]{8,8192}\.[\w-]{0,1024}/g;
const bearer = /(?<![A-Za-z])bearer[ :]{1,3}([\w.~+/-]{16,4096}={0,2})/gi;
const basic = /(?<![A-Za-z])basic[ :]{1,3}([A-Za-z0-9+/]{12,1024}={0,2})/gi;
const credentials = /\b[a-z][a-z0-9+.-]{1,15}:\/\/([^\s/?#"<>@:]{0,80}:[^\s/?#"<>@]{1,160})@/gi;

/** The credentials of `curl -u user:password`, at most some options after the command. */
const curl =
  /(?<![\w-])curl(?:\.exe)?\s[^\n]{0,240}?(?<=\s)(?:-[a-z]{0,4}u|-U|--user|--proxy-user)[ =]?["']?([^\s:"'$<{]{1,64}:[^\s"'$<{][^\s"']{2,160})/g;
/** JDBC and other connection strings with the password as a parameter, and Oracle's `user/password@`. */
const parameter = /(?<=\/\/[^\s"'<>]{1,200})[?&;](?:password|passwd|pwd|pass)=([^&;\s"'<>$]{3,120})/gi;
const oracle = /jdbc:oracle:\w{1,10}:([\w$.-]{1,60}\/[^@\s"'/]{1,100})@/gi;
const sshpass = /(?<![\w-])sshpass\s{1,4}-p ?["']?([^\s"'$<-][^\s"']{2,100})/g;
const mysql = /(?<![\w-])mysql(?:dump|admin|import)?\s[^\n|]{0,240}?(?<=\s)-p["']?([^\s"'$<-][^\s"']{2,100})/g;
const netrc = /(?<![\w-])machine\s{1,4}\S{1,120}\s{1,8}login\s{1,4}\S{1,80}\s{1,8}password\s{1,4}(\S{3,120})/g;
const cookie =
  /(?<![\w-])(?:set-)?cookie["']?\s{0,2}[:=]\s{0,2}["']?(?:[^;=\s]{1,48}=[^;\s]{0,96};\s?){0,3}?[\w.-]{0,32}(?:sess|sid|auth|token|jwt|remember)[\w.-]{0,16}=([^;\s"']{16,256})/gi;
/** The base64 form of a block that begins with "-----BEGIN", as in Kubernetes' secrets. */
const encodedBlock = /(?<![A-Za-z0-9+/])LS0tLS1CRUdJTi[A-Za-z0-9+/]{40,3800}={0,2}/g;
/** AWS's secret keys have 40 characters and no prefix. */
const cloudKey = /(?:aws|A[KS]IA)[\s\S]{0,90}?(?<![A-Za-z0-9+/])([A-Za-z0-9+/]{40})(?![A-Za-z0-9+/=])/gi;

const exampleLogin = /^(?:user(?:name)?|login|name|me|you):(?:pass(?:word|wd)?|secret|token|pw)$/i;

export function createDetectSecrets({ rules, minEntropy, allow }: DetectSecretsOptions) {
  const allowed = new Set(allow);
  const chosen = new Set<SecretRule>(rules);
  const findAll = (text: string): SecretHit[] =>
    [
      ...findPattern('private-key', text, privateKey),
      ...findProviderKeys(text).map(({ provider, ...span }) => ({
        ...span,
        rule: 'provider-key' as const,
        detail: { provider },
      })),
      ...findPattern('jwt', text, jwt),
      ...findInside('bearer', text, bearer, isRandom),
      ...findInside('bearer', text, basic, (found) => /^[^:]*[\x20-\x7e]:/.test(decodeBase64(found))),
      ...findInside('url-credentials', text, credentials, () => true),
      ...findInside('url-credentials', text, curl, (found) => !exampleLogin.test(found)),
      ...findInside('url-credentials', text, parameter, (found) => !isPlaceholder(found)),
      ...findInside('url-credentials', text, oracle, () => true),
      ...findInside('named-secret', text, sshpass, (found) => !isPlaceholder(found)),
      ...findInside('named-secret', text, mysql, (found) => !isPlaceholder(found)),
      ...findInside('named-secret', text, netrc, (found) => !isPlaceholder(found)),
      ...findInside('named-secret', text, cookie, isRandom),
      ...findPattern('private-key', text, encodedBlock).filter(({ start, end }) =>
        decodeBase64(text.slice(start, end)).includes('PRIVATE KEY'),
      ),
      ...findNamedValues(text, minEntropy),
      ...findInside('provider-key', text, cloudKey, isCloudKey).map((hit) => ({ ...hit, detail: { provider: 'aws' } })),
    ].filter((hit) => chosen.has(hit.rule) && !allowed.has(text.slice(hit.start, hit.end)));
  const findCutPlace: SegmentRules['findCutPlace'] = (view, at) => findFreePlace(findAll(view), at);
  return { findHits: (view: string) => mergeOverlapping(findAll(view)), findCutPlace };
}

/** Every secret contains one of these. @param view of a segment */
export const mayHoldSecret = (view: string): boolean =>
  view.length >= 8 && /[:=|]|\bis\b|\bist\b|\best?\b|lautet|-{2}|[\w+/.~-]{16}|sshpass|mysql|machine|\$/i.test(view);

function findPattern(rule: SecretRule, text: string, pattern: RegExp): SecretHit[] {
  return [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ rule, start: index, end: index + found.length }));
}

/** Returns the spans of the pattern's first group. */
function findInside(rule: SecretRule, text: string, pattern: RegExp, keep: (found: string) => boolean): SecretHit[] {
  return [...text.matchAll(pattern)].flatMap((match) => {
    const found = match[1] ?? '';
    const start = match.index + match[0].lastIndexOf(found);
    return keep(found) ? [{ rule, start, end: start + found.length, contextStart: match.index }] : [];
  });
}
