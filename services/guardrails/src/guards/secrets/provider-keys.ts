// Formats of the providers' keys from their documentation: a prefix and the text after it. One expression matches all
// and identifies the provider.
import type { TextSpan } from '../../text/span.ts';

export const FORMATS: Readonly<Record<string, string>> = {
  anthropic: 'sk-ant-[\\w-]{20,250}',
  openai: 'sk-(?:proj-|svcacct-|admin-)?[A-Za-z0-9_-]{16,252}',
  openrouter: 'sk-or-v1-[0-9a-f]{64}',
  aws: '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA|AROA|AIDA)[A-Z0-9]{16}',
  'aws-bedrock': '(?:ABSK|bedrock-api-key-)[A-Za-z0-9+/]{40,250}',
  github: '(?:gh[pousr]_[A-Za-z0-9]{30,251}|github_pat_\\w{20,244})',
  gitlab: '(?:glpat|gldt|glrt|glcbt|glptt|glft|glimt|glagent|gloas|glsoat|glffct)-[\\w-]{20,120}',
  google: '(?:AIza[\\w-]{35}|ya29\\.[\\w-]{20,250}|GOCSPX-[\\w-]{28})',
  slack: '(?:xox[a-z]-[A-Za-z0-9-]{10,250}|xapp-\\d-[A-Za-z0-9-]{10,200})',
  'slack-webhook': 'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{20,100}',
  'discord-webhook': 'discord(?:app)?\\.com/api/webhooks/\\d{16,20}/[\\w-]{40,100}',
  discord: '[MNO][A-Za-z0-9_-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}',
  stripe: '(?:[spr]k|whsec)_(?:(?:live|test)_)?[A-Za-z0-9]{16,240}',
  npm: 'npm_[A-Za-z0-9]{36}',
  pypi: 'pypi-AgE[\\w-]{50,250}',
  rubygems: 'rubygems_[0-9a-f]{48}',
  docker: 'dckr_(?:pat|oat)_[\\w-]{20,60}',
  'hugging-face': '(?:hf|api_org)_[A-Za-z0-9]{30,64}',
  sendgrid: 'SG\\.[\\w-]{16,32}\\.[\\w-]{16,64}',
  digitalocean: 'do[opr]_v1_[a-f0-9]{64}',
  telegram: '\\d{8,10}:AA[\\w-]{32,34}',
  twilio: '(?:SK|AC)[0-9a-f]{32}',
  mailgun: '(?:key-[0-9a-f]{32}|[0-9a-f]{32}-[0-9a-f]{8}-[0-9a-f]{8})',
  mailchimp: '[0-9a-f]{32}-us\\d{1,2}',
  shopify: 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}',
  square: '(?:sq0(?:atp|csp|idp)-[\\w-]{22,43}|EAAA[\\w-]{60})',
  facebook: 'EAA[A-Za-z0-9]{80,250}',
  atlassian: 'AT(?:ATT|CTT)3[\\w=-]{60,250}',
  databricks: 'dapi[0-9a-f]{32}(?:-\\d)?',
  linear: 'lin_(?:api|oauth)_[A-Za-z0-9]{32,64}',
  notion: '(?:secret_[A-Za-z0-9]{43}|ntn_[A-Za-z0-9]{40,60})',
  postman: 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}',
  grafana: 'gl(?:c|sa)_[A-Za-z0-9+/_]{32,250}',
  'new-relic': 'NR(?:AK|JS|AL)-[A-Za-z0-9]{19,32}',
  sentry: '(?:sntry[su]_[A-Za-z0-9+/=_]{40,500}|[0-9a-f]{32}@[\\w.-]{0,40}sentry\\.io)',
  vault: 'hv[sbr]\\.[\\w-]{24,250}',
  terraform: '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w-]{60,70}',
  supabase: 'sb(?:p|_secret)_[\\w]{20,60}',
  groq: 'gsk_[A-Za-z0-9]{40,60}',
  replicate: 'r8_[A-Za-z0-9]{37}',
  perplexity: 'pplx-[A-Za-z0-9]{40,60}',
  xai: 'xai-[A-Za-z0-9]{70,90}',
  figma: 'figd_[\\w-]{38,60}',
  airtable: 'pat[A-Za-z0-9]{14}\\.[0-9a-f]{64}',
  dropbox: 'sl\\.[\\w-]{120,200}',
  doppler: 'dp\\.(?:pt|ct|st|sa|scim|audit)\\.[A-Za-z0-9_.-]{40,60}',
  pulumi: 'pul-[0-9a-f]{40}',
  planetscale: 'pscale_(?:tkn|pw|oauth)_[\\w.-]{32,64}',
  heroku: 'HRKU-[\\w-]{36,64}',
  fly: '(?:fo1_[\\w-]{43}|fm[12]_[A-Za-z0-9+/]{60,250})',
  alibaba: 'LTAI[A-Za-z0-9]{16,22}',
  tencent: 'AKID[A-Za-z0-9]{32}',
  age: 'AGE-SECRET-KEY-1[A-Z0-9]{58}',
  '1password': 'ops_eyJ[\\w-]{200,250}',
  azure: '[A-Za-z0-9_~.]{3}\\dQ~[A-Za-z0-9_~.-]{31,34}',
  'azure-devops': '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}',
  'azure-storage': '[A-Za-z0-9+/]{76}\\+ASt[A-Za-z0-9+/]{6}==',
  'azure-functions': '[\\w-]{44}AzFu[\\w-]{4,5}[AQgw]==',
  'azure-search': '[A-Za-z0-9]{42}AzSe[A-D][A-Za-z0-9]{5}',
  'azure-ai': '[A-Za-z0-9]{52}JQQJ9[9DH][A-Za-z0-9]{26}',
  sourcegraph: '(?:sgp_(?:(?:[0-9a-f]{16}|local)_)?[0-9a-f]{40}|slk_[0-9a-f]{64}|sgd_[0-9a-f]{64})',
  intra42: 's-s4t2(?:ud|af)-[0-9a-f]{64}',
  nuget: 'oy2[a-z0-9]{43}',
  typeform: 'tfp_[\\w.-]{40,60}',
  adobe: 'p8e-[A-Za-z0-9]{32}',
  contentful: 'CFPAT-[\\w-]{43}',
  dynatrace: 'dt0c01\\.[A-Z0-9]{24}\\.[A-Z0-9]{64}',
  vercel: 'vc[pirack]_[A-Za-z0-9]{24,60}',
  langsmith: '(?:lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}|ls__[0-9a-f]{32})',
  pinecone: 'pcsk_[A-Za-z0-9]{5,6}_[A-Za-z0-9]{50,70}',
  tavily: 'tvly-(?:dev-|prod-)?[A-Za-z0-9]{32}',
  firecrawl: 'fc-[0-9a-f]{32}',
  voyage: 'pa-[A-Za-z0-9_-]{43}',
  'azure-sas': '(?<=[?&])sig=[A-Za-z0-9+/]{40,80}={0,2}',
  'password-hash': '\\$(?:apr1|[156]|2[abxy]|y)\\$[./A-Za-z0-9$]{22,120}',
  elastic: 'essu_[\\w=+/-]{40,120}',
};

/** A format of one length is no key inside a longer text. */
const closed = Object.values(FORMATS).map((format) =>
  /\{\d+\}\)?$/.test(format) ? `${format}(?![A-Za-z0-9])` : format,
);
const any = new RegExp(`(?<![A-Za-z0-9])(?:${closed.join('|')})`, 'g');
const each = Object.entries(FORMATS).map(([provider, format]) => ({ provider, format: new RegExp(`^(?:${format})$`) }));
/** Minimum length; all keys are longer. */
const MIN_KEY = 16;
/**
 * Placeholders of documentation, and identifiers of code: `sk-xxxxxxxxxxxxxxxxxxxx`, AWS's examples, `sk-learn-contrib`,
 * `sk-YOUR-API-KEY`. A random key has digits or letters of both cases, or is in capitals without such words.
 */
const placeholder =
  /(.)\1{7}|EXAMPLE|^[a-z_.-]+$|^[a-z]{2,8}[-_.](?:[A-Z]{2,}[-_]?)+$|YOUR|ACCESS|PLACEHOLDER|INSERT|(?:sk|key|token)[-_](?:your|my|example|test-key|placeholder)/;

export type ProviderKey = TextSpan & { provider: string };

/** @param text the view of a segment */
export function findProviderKeys(text: string): ProviderKey[] {
  if (text.length < MIN_KEY) return [];
  return [...text.matchAll(any)].flatMap(({ 0: found, index }) => {
    if (placeholder.test(found)) return [];
    const provider = each.find(({ format }) => format.test(found))?.provider ?? '';
    return [{ provider, start: index, end: index + found.length }];
  });
}
