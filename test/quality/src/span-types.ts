// The names that labelled sets give to kinds of personal data, and ours for them.

const OURS: Readonly<Record<string, string>> = {
  'e-mail': 'email',
  'email-address': 'email',
  'phone-number': 'phone',
  telephone: 'phone',
  'credit-card': 'card',
  'credit-card-number': 'card',
  'us-ssn': 'ssn',
  'social-security-number': 'ssn',
  'iban-code': 'iban',
  'ip-address': 'ip',
  ipv4: 'ip',
  ipv6: 'ip',
  crypto: 'crypto-wallet',
  'date-of-birth': 'date-of-birth',
  dob: 'date-of-birth',
};

/** In lower case with hyphens, in our words. */
export function spanType(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[\s_]+/g, '-');
  return OURS[plain] ?? plain;
}
