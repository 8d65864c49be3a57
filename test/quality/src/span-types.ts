// Maps the type names of labeled data sets to the types of pii.

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

/** Returns the name in lower case with hyphens, mapped to the type of pii. */
export function toSpanType(name: string): string {
  const plain = name.toLowerCase().replaceAll(/[\s_]+/g, '-');
  return OURS[plain] ?? plain;
}
